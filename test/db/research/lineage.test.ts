import { expect, test } from 'vitest';
import { taskVersions, trials } from '../../../db/schema.ts';
import { BASELINE, insertResearch, TASK, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

test('a lineage has each candidate with its runs, its parent, and the proposals made from it, oldest first', async () => {
  await insertResearch(bench.db, 'tree', { lastN: 6 });
  const names = { name: 'toy', yaml: '', stageHash: 's', immutableHash: 'i', evaluatorHash: 'e', mutablePaths: [] };
  await bench.db.insert(taskVersions).values({ ...names, hash: 'tree-old', task: TASK, metricKey: 'another' });
  const made = async (n: number, of: Partial<typeof trials.$inferInsert>): Promise<void> => {
    if (of.candidateId) await bench.store.trial.saveCandidate({ id: of.candidateId, immutableHash: 'i', files: {} });
    await bench.db.insert(trials).values(trialRow('tree', n, of));
  };
  const done = { status: 'completed' as const, endedAt: new Date() };
  await made(1, { kind: 'baseline', candidateId: BASELINE, parentId: null, value: 4, ...done });
  await made(2, { candidateId: 'tree-a', parentId: BASELINE, value: 3, ...done });
  await made(3, { kind: 'confirm', ofTrial: 2, candidateId: 'tree-a', parentId: null, value: 2, ...done });
  await made(4, {
    candidateId: 'tree-b',
    parentId: 'tree-a',
    status: 'crashed',
    failure: 'exit-code',
    endedAt: new Date(),
  });
  await made(5, { candidateId: null, parentId: 'tree-a' });
  // Of another metric: its value is not compared.
  await made(6, { candidateId: 'tree-c', parentId: BASELINE, value: 9, taskHash: 'tree-old', ...done });
  expect(await bench.store.research.readLineage('tree')).toEqual([
    { candidateId: BASELINE, parentId: null, value: 4, runs: 1, visits: 1, inFlight: 0 },
    { candidateId: 'tree-a', parentId: BASELINE, value: 2.5, runs: 2, visits: 2, inFlight: 1 },
    { candidateId: 'tree-b', parentId: 'tree-a', value: null, runs: 0, visits: 0, inFlight: 0 },
  ]);
});

test('a research without a trial has no lineage yet', async () => {
  await insertResearch(bench.db, 'bare');
  expect(await bench.store.research.readLineage('bare')).toEqual([]);
});
