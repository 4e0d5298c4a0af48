import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { restarts } from '../../../db/schema.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const note = (runId: string) =>
  bench.store.research.noteRestart({
    workflowId: 'again',
    type: 'research',
    runId,
    start: { args: { task: 't' }, memo: {} },
  });

test('a restart is pending until it is forgotten, and that of another run replaces it', async () => {
  const pending = () => bench.store.research.findRestarts();
  await note('old');
  expect(await pending()).toMatchObject([{ workflowId: 'again', runId: 'old' }]);
  await note('new');
  expect(await pending()).toMatchObject([{ workflowId: 'again', runId: 'new' }]);
  // Perpetua 0.2 left such a row when the next run began.
  await bench.db.update(restarts).set({ takenBy: 'newer' }).where(eq(restarts.workflowId, 'again'));
  expect(await pending()).toEqual([]);
  await note('newer');
  expect(await pending()).toMatchObject([{ runId: 'newer' }]);
  await bench.store.research.forgetRestart('again');
  expect(await pending()).toEqual([]);
});

test('the opening of a research has its run and task name, and the research is open until it has ended', async () => {
  await insertResearch(bench.db, 'open', { runId: 'first' });
  await insertResearch(bench.db, 'over', { phase: 'stopped' });
  expect(await bench.store.research.findOpening('open')).toEqual({ runId: 'first', taskName: 'toy' });
  expect(await bench.store.research.findOpening('nobody')).toBeUndefined();
  expect(await bench.store.research.findOpenIds()).toEqual({ researchIds: ['open'], trialIds: [] });
});
