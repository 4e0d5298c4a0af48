import { expect, test } from 'vitest';
import { NOTHING_LEFT } from '../../../domain/floor/left.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const left = { ...NOTHING_LEFT, paused: true };
const note = (workflowId: string, runId = 'old') =>
  bench.store.research.noteRestart({
    ...{ workflowId, type: 'research', runId, left },
    start: { args: { task: 't' }, memo: {} },
  });

test('what is left goes to the first run that asks, as often as it asks, and to no other', async () => {
  await note('asked');
  const take = (runId: string) => bench.store.research.takeLeft({ researchId: 'asked', runId });
  expect(await Promise.all([take('new'), take('new')])).toEqual([left, left]);
  expect(await take('later')).toBeNull();
  expect(await bench.store.research.takeLeft({ researchId: 'unknown', runId: 'new' })).toBeNull();
});

test('a workflow is to be begun again until a run of it has asked, and once more where another run of it is ended', async () => {
  const pending = async () =>
    (await bench.store.research.findRestarts()).filter(({ workflowId }) => workflowId === 'again');
  await note('again');
  expect(await pending()).toMatchObject([{ runId: 'old' }]);
  await bench.store.research.takeLeft({ researchId: 'again', runId: 'new' });
  expect(await pending()).toEqual([]);
  await note('again', 'new');
  expect(await pending()).toMatchObject([{ runId: 'new' }]);
  await bench.store.research.forgetRestart('again');
  expect(await pending()).toEqual([]);
});

test('what is left is forgotten for the run that it is about, and for no other', async () => {
  const { findLeftFor, forgetLeftFor, takeLeft } = bench.store.research;
  const forgotten = async (researchId: string, of: { runId: string; after?: string }) => {
    const found = await findLeftFor({ researchId, ...of });
    await forgetLeftFor({ researchId, ...of });
    return { found, kept: (await findLeftFor({ researchId, runId: 'x', after: 'old' })) !== null };
  };
  for (const id of ['of-another', 'noted', 'in-its-place', 'heard']) await note(id);
  await takeLeft({ researchId: 'heard', runId: 'new' });
  const ours = { found: left, kept: false };
  expect(await forgotten('of-another', { runId: 'new' })).toEqual({ found: null, kept: true });
  expect(await forgotten('of-another', { runId: 'new', after: 'older' })).toEqual({ found: null, kept: true });
  expect(await forgotten('noted', { runId: 'old' })).toEqual(ours);
  expect(await forgotten('in-its-place', { runId: 'new', after: 'old' })).toEqual(ours);
  expect(await forgotten('heard', { runId: 'new' })).toEqual(ours);
});

test('a research is known by the run that opened it and the name of its task, and is under way until it has ended', async () => {
  await insertResearch(bench.db, 'open', { runId: 'first' });
  await insertResearch(bench.db, 'over', { phase: 'stopped' });
  expect(await bench.store.research.findOpening('open')).toEqual({ runId: 'first', taskName: 'toy' });
  expect(await bench.store.research.findOpening('nobody')).toBeUndefined();
  expect(await bench.store.research.findUnderWay()).toEqual({ researchIds: ['open'], trialIds: [] });
});
