import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { runs, trials } from '../../../db/schema.ts';
import { insertReadyTrial, useDatabase } from '../support.ts';

const bench = useDatabase();

test('the history of a trial that was placed twice shows the log of its last placement', async () => {
  const trialId = await insertReadyTrial(bench.db, 'placed');
  const run = { trialId, host: 'placed', slotId: 'placed/0' };
  await bench.db.insert(runs).values([
    { ...run, placement: 0, fence: 1, logTail: 'first' },
    { ...run, placement: 1, fence: 2, logTail: 'second' },
  ]);
  await bench.db.update(trials).set({ status: 'crashed', placement: 1 }).where(eq(trials.id, trialId));
  const history = await bench.store.trial.findHistory({ researchId: 'placed', limit: 5 });
  expect(history.map(({ n, log }) => ({ n, log }))).toEqual([{ n: 1, log: 'second' }]);
});
