import { expect, test } from 'vitest';
import { settingsOf } from '../../../domain/task/overrides.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';
import type { Db } from '../../../db/connect.ts';

const bench = useDatabase();

test('a research is stored with the curves that it begins with, and keeps them if it is created again', async () => {
  await insertResearch(bench.db, 'another');
  const { state, wanted } = openGate(CONFIG, BASELINE);
  const create = (trialId: string | null) =>
    bench.store.research.createResearch({
      id: 'carrying',
      taskHash: 'task-1',
      proposer: 'random',
      overrides: {},
      seedRoot: 'carrying',
      settings: settingsOf(TASK),
      settingsHash: 'h',
      budget: TASK.budget,
      gateConfig: CONFIG,
      gate: state,
      wanted,
      baseline: { id: BASELINE, immutableHash: 'i', files: {} },
      carried:
        trialId === null ? null : { curves: [{ trialId, final: 2, weight: 1, values: [[0.1, 3]] }], researches: 1 },
    });
  const began = () => bench.store.run.findCarried({ researchId: 'carrying', taskHash: 'task-1' });
  await create('first/1');
  expect((await began())?.curves.map(({ trialId }) => trialId)).toEqual(['first/1']);
  // A second attempt finds other curves, and changes nothing.
  await create('first/2');
  await create(null);
  expect((await began())?.curves.map(({ trialId }) => trialId)).toEqual(['first/1']);
  expect(await bench.store.run.findCarried({ researchId: 'another', taskHash: 'task-1' })).toBeUndefined();
});

test('rows of a research are inserted while another transaction locks it, and a second lock waits', async () => {
  await insertResearch(bench.db, 'locked');
  const other = bench.another();
  const order: string[] = [];
  const later = await bench.store.withResearch('locked', async (tx) => {
    await other.research.insertNote({ id: 'n', researchId: 'locked', text: 'advice' });
    order.push('note');
    const waiting = other.withResearch('locked', () => Promise.resolve(order.push('second holder')));
    await tx.research.insertNote({ id: 'm', researchId: 'locked', text: 'more' });
    await expect.poll(() => held(bench.db)).toBe(true);
    order.push('first holder');
    return { waiting };
  });
  await later.waiting;
  expect(order).toEqual(['note', 'first holder', 'second holder']);
});

/** Reports whether a statement waits for a lock. */
const held = async (db: Db): Promise<boolean> => {
  const { rowCount } = await db.execute(
    `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rowCount !== 0;
};
