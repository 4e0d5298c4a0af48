import { describe, expect, test } from 'vitest';
import { type Credit, NO_CREDIT } from '../../../../domain/search/mixture/arm.ts';
import { type Cost, sampleThompson, shrunkenCosts } from '../../../../domain/search/mixture/thompson.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';

interface Scene {
  rates: readonly number[];
  costs: readonly number[];
  /** Arms whose trials without a reward have no score. */
  fails?: readonly number[];
  cost?: Cost;
}

/** Shares of the arms over all plays and over the second half: 200 plays, 200 repeats with the seeds 1 to 200. */
function play({ rates, costs, fails = [], cost = 'seconds' }: Scene): { all: number[]; late: number[] } {
  const [all, late] = [rates.map(() => 0), rates.map(() => 0)];
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = createRandom(seed);
    const credits: Credit[] = rates.map(() => ({ ...NO_CREDIT }));
    for (let n = 0; n < 200; n += 1) {
      const index = sampleThompson(credits, { random, cost });
      const arm = credits[index] ?? expect.unreachable();
      const reward = random.uniform() < (rates[index] ?? 0) ? 1 : 0;
      arm.trials += 1;
      arm.scored += fails.includes(index) ? reward : 1;
      arm.reward += reward;
      arm.seconds += costs[index] ?? 0;
      all[index] = (all[index] ?? 0) + 1 / 40_000;
      if (n >= 100) late[index] = (late[index] ?? 0) + 1 / 20_000;
    }
  }
  return { all, late };
}

describe('a choice by Thompson sampling', () => {
  test('prefers the arm with the most reward per cost', () => {
    const { all } = play({ rates: [0.1, 0.2, 0.3], costs: [1, 1, 4] });
    expect(all[0]).toBeCloseTo(0.22, 1);
    expect(all[1]).toBeCloseTo(0.7, 1);
    expect(all[2]).toBeCloseTo(0.07, 1);
  });

  test('finds a good arm among others', () => {
    expect(play({ rates: [0.05, 0.05, 0.2], costs: [1, 1, 1] }).late[2]).toBeCloseTo(0.84, 1);
  });

  test.each<[string, Scene]>([
    ['ends with a bad score', { rates: [0.2, 0.2, 0], costs: [1, 1, 1] }],
    ['fails after its whole run', { rates: [0.2, 0.2, 0], costs: [1, 1, 1], fails: [2] }],
    ['fails at once, and costs nothing', { rates: [0.2, 0.2, 0], costs: [1, 1, 0], fails: [2] }],
    ['costs nothing and has scores', { rates: [0.2, 0.2, 0], costs: [1, 1, 0] }],
    ['is one of equal costs', { rates: [0.2, 0.2, 0], costs: [1, 1, 0], fails: [2], cost: 'none' }],
  ])('gives few of the later trials to a dead arm that %s', (_, scene) => {
    expect(play(scene).late[2]).toBeLessThan(0.1);
  });

  test('does not depend on the unit of costs', () => {
    const credits = [3, 5, 1].map((seconds, index) => ({ ...NO_CREDIT, trials: 2, scored: 2, reward: index, seconds }));
    const days = credits.map((credit) => ({ ...credit, seconds: credit.seconds / 86_400 }));
    const choose = (all: Credit[]) =>
      Array.from({ length: 50 }, (_, seed) => sampleThompson(all, { random: createRandom(seed), cost: 'seconds' }));
    expect(choose(days)).toEqual(choose(credits));
  });

  test('counts the costs as equal while none is known', () => {
    expect(shrunkenCosts([NO_CREDIT, NO_CREDIT], 'seconds')).toEqual([1, 1]);
    expect(shrunkenCosts([{ ...NO_CREDIT, trials: 9, scored: 9 }, NO_CREDIT], 'usd')).toEqual([1, 1]);
  });
});
