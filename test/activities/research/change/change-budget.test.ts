import { expect, test } from 'vitest';
import { changeBudget } from '../../../../activities/steer.ts';
import { insertResearch, TASK } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';

const bench = useDatabase();

test('of changes of a budget at once none is lost', async () => {
  await insertResearch(bench.db, 'both');
  const [a, b, c] = [bench.another(), bench.another(), bench.another()];
  for (let round = 1; round <= 10; round += 1) {
    await Promise.all([
      changeBudget(a, { researchId: 'both', change: { trials: round } }),
      changeBudget(b, { researchId: 'both', change: { hours: round } }),
      changeBudget(c, { researchId: 'both', change: { usd: round } }),
    ]);
    const now = (await bench.store.research.findResearch('both'))?.budget;
    expect(now).toEqual({ ...TASK.budget, trials: round, hours: round, usd: round });
  }
});

test('a changed budget is returned whole', async () => {
  await insertResearch(bench.db, 'whole');
  const first = await changeBudget(bench.store, { researchId: 'whole', change: { trials: 7 } });
  expect(first).toEqual({ ...TASK.budget, trials: 7 });
  const second = await changeBudget(bench.store, { researchId: 'whole', change: { whenSpent: 'wait' } });
  expect(second).toEqual({ ...first, whenSpent: 'wait' });
});
