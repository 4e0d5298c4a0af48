import { expect, test } from 'vitest';
import { readLivingRuns } from '../../../cli/up/kill-runs.ts';
import { runs } from '../../../db/schema.ts';
import { insertTrials, useDatabase } from '../../db/queries/support.ts';

const bench = useDatabase();

test('runs under way are those that were launched and are known to have ended in no way', async () => {
  await insertTrials(bench.db, 'toy', 4);
  const run = { placement: 0, host: 'h', slotId: 's', fence: 3 };
  const launchedAt = new Date();
  await bench.db.insert(runs).values([
    { ...run, trialId: 'toy/1', launchedAt },
    { ...run, trialId: 'toy/2' },
    { ...run, trialId: 'toy/3', launchedAt, end: { reason: 'exit' }, endedAt: launchedAt },
    // Killed, or lost with its machine: how it ended was never stored.
    { ...run, trialId: 'toy/4', launchedAt, endedAt: launchedAt },
  ]);
  expect((await readLivingRuns(bench.url)).runs).toEqual([{ trialId: 'toy/1', placement: 0, fence: 3 }]);
});
