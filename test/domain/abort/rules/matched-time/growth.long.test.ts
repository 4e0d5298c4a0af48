import { describe, expect, it } from 'vitest';
import { openRule, type RunningRule } from '../../../../../domain/abort/rules.ts';
import { createRandom } from '../../../../../domain/random.ts';
import { BUDGET, configFor, fallingTo } from '../../support.ts';

function taught(n: number, noise = 0.02): RunningRule {
  const random = createRandom(5);
  let rule = openRule('matched-time', configFor('minimize'));
  for (let i = 0; i < n; i += 1) {
    const final = 1 + random.uniform();
    rule = rule.learn({ points: fallingTo(final, { noise, seed: i + 1 }), budget: BUDGET, final });
  }
  return rule;
}

describe('a decision of matched-time', () => {
  // The goal is 1 ms at 10,000 points and 1,000 runs, and is measured in bench/abort.ts; here the order of growth is held.
  it('takes at most some ten times as long with ten times the runs, all of them as good as the incumbent', () => {
    // Behind all of them, but not so far that a look at good runs is not needed.
    const levels = Array.from({ length: 20 }, (_, i) => 2.5 + i / 20);
    const dearest = (n: number): number => {
      const rule = taught(n, 0.3);
      const runs = levels.map((final) => ({ points: fallingTo(final, { until: 50 }), budget: BUDGET, incumbent: 2.5 }));
      expect(runs.some((run) => rule.decide(run).decision.reason.includes(`all of ${n} good runs`))).toBe(true);
      return Math.max(...runs.map((run) => leastTime(() => rule.decide(run))));
    };
    expect(dearest(1000) / dearest(100)).toBeLessThan(30);
  });

  it('takes at most some ten times as long with ten times the points', () => {
    const rule = taught(100);
    const withPoints = (n: number): number => {
      const points = Array.from({ length: n }, (_, i) => ({ step: (50 * i) / n, elapsed: i, value: 4 - i / n }));
      return leastTime(() => rule.decide({ points, budget: BUDGET, incumbent: 1.02 }));
    };
    expect(withPoints(10_000) / withPoints(1000)).toBeLessThan(30);
  });
});

/** Milliseconds that something takes where nothing comes between. */
function leastTime(work: () => unknown): number {
  let least = Infinity;
  for (let i = 0; i < 100; i += 1) {
    const begun = performance.now();
    work();
    least = Math.min(least, performance.now() - begun);
  }
  return least;
}
