import { expect, test } from 'vitest';
import { keptProposers } from '../../workers/kept-proposers.ts';
import { insertResearch } from '../cli/support/lineage.ts';
import { useDatabase } from '../db/support.ts';

const bench = useDatabase();

test('a worker that could ask a model is told of the researches under way that keep random', async () => {
  await insertResearch(bench.db, 'kept', { proposer: 'random', phase: 'running' });
  await insertResearch(bench.db, 'asks', { proposer: 'llm', phase: 'running' });
  await insertResearch(bench.db, 'over', { proposer: 'random', phase: 'stopped' });
  const lines = await keptProposers(bench.db);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('npx perpetua stop kept');
});
