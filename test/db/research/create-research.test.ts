import { expect, test } from 'vitest';
import { settingsOf } from '../../../domain/task/overrides.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

test('a research is stored together with the curves that it begins with, and asked for again it keeps them', async () => {
  await insertResearch(bench.db, 'another');
  const { state, wants } = openGate(CONFIG, BASELINE);
  const create = (trialId: string | null) =>
    bench.store.research.createResearch({
      ...{ id: 'carrying', taskHash: 'task-1', proposer: 'random', overrides: {}, seedRoot: 'carrying' },
      ...{ settings: settingsOf(TASK), settingsHash: 'h', budget: TASK.budget, gateConfig: CONFIG, gate: state, wants },
      baseline: { id: BASELINE, immutableHash: 'i', files: {} },
      carried:
        trialId === null ? null : { curves: [{ trialId, final: 2, weight: 1, values: [[0.1, 3]] }], researches: 1 },
    });
  const began = () => bench.store.run.findCarried({ researchId: 'carrying', taskHash: 'task-1' });
  await create('first/1');
  expect((await began())?.curves.map(({ trialId }) => trialId)).toEqual(['first/1']);
  // A second attempt finds another past, and changes nothing.
  await create('first/2');
  await create(null);
  expect((await began())?.curves.map(({ trialId }) => trialId)).toEqual(['first/1']);
  expect(await bench.store.run.findCarried({ researchId: 'another', taskHash: 'task-1' })).toBeUndefined();
});
