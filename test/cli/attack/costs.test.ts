import { expect, test } from 'vitest';
import { costsOf } from '../../../cli/attack/costs.ts';
import { TASK } from '../support/lineage.ts';

test('says the longest time by the limit that the runs have', () => {
  // Three runs of the unmodified workspace, each of 6 × budget at the most.
  const run = { ...TASK.run, budget: { ...TASK.run.budget, kind: 'reference' as const, seconds: 100 } };
  expect(costsOf([], { ...TASK, run })).toMatch(/in 3 runs.* about 5 min on slots.* never more than 30 min/);
});
