import { expect, test } from 'vitest';
import { keptProposers } from '../../workers/describe-start.ts';
import { recordOf } from '../../activities/research/own-settings.ts';
import { insertResearch, TASK } from '../cli/support/lineage.ts';
import { useDatabase } from '../db/support.ts';

const bench = useDatabase();

test('a worker that could ask a model is told of the researches under way that keep random', async () => {
  // As a start records them: of `auto` the settings keep what it was resolved to.
  const { settings } = recordOf(String, { task: TASK, proposer: 'random' });
  await insertResearch(bench.db, 'kept', { proposer: 'random', phase: 'running', settings });
  const overrides = { search: { proposer: 'random' } };
  await insertResearch(bench.db, 'chosen', { proposer: 'random', phase: 'running', settings, overrides });
  await insertResearch(bench.db, 'asks', { proposer: 'llm', phase: 'running' });
  await insertResearch(bench.db, 'over', { proposer: 'random', phase: 'stopped' });
  const lines = await keptProposers(bench.db);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('npx perpetua stop kept');
});
