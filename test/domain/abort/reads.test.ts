import { describe, expect, it } from 'vitest';
import { family } from '../../../bench/abort/families.ts';
import { ABORT_RULES, type AbortRuleName } from '../../../domain/abort/table.ts';
import { openRule, type RunningRule } from '../../../domain/abort/rules.ts';
import { DEFAULT_ABORT, type AbortInput } from '../../../domain/abort/types.ts';

const POINTS = 2000;
/** Numbers of finished runs. */
const [FEW, MANY] = [50, 200];
/** Most reads of a point in one decision, on average over the points. */
const MOST_READS = 10;
/** Gaps between the judged runs and the incumbent; rules take a shortcut for runs that are far behind. */
const GAPS = [0, 0.06, 0.3];

function openTaughtRule(name: AbortRuleName, finished: number): RunningRule {
  return family('heavy noise', finished, 5).reduce(
    // asha learns nothing from a run without a name.
    (rule, curve, i) => rule.learn({ ...curve, run: `r${i}` }),
    openRule(name, { ...DEFAULT_ABORT, direction: 'minimize' }),
  );
}

/** Input for a decision on a run of `POINTS` points at a share of its budget, and the number of reads of the points. */
function countedInput(share: number, gap: number): { input: AbortInput; reads: () => number } {
  const value = (i: number): number => 4 + gap - (share * i) / POINTS;
  const all = Array.from({ length: POINTS }, (_, i) => ({ step: i + 1, elapsed: i, value: value(i) }));
  let reads = 0;
  const points = new Proxy(all, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  const budget = { kind: 'steps', total: POINTS / share } as const;
  return { input: { points, budget, incumbent: 3.3, run: 'new', lastLookShare: share - 0.05 }, reads: () => reads };
}

/** The cost of a decision never grows with points × finished runs. `bench/abort/costs.ts` measures the speed. */
describe.each(ABORT_RULES)('a decision of %s', (name) => {
  it('reads each point at most 10 times on average, no matter how many runs have finished', () => {
    const [few, many] = [openTaughtRule(name, FEW), openTaughtRule(name, MANY)];
    // Shares of the budget: just past a rung of asha, and near the end.
    for (const share of [0.35, 0.9])
      for (const gap of GAPS) {
        const [readsWithFew, readsWithMany] = [few, many].map((rule) => {
          const { input, reads } = countedInput(share, gap);
          // The rule judged the last point of the run.
          expect(rule.decide(input).decision.share).toBeCloseTo(share, 9);
          return reads();
        });
        expect(readsWithMany).toBeLessThanOrEqual(MOST_READS * POINTS);
        expect(readsWithMany).toBeLessThanOrEqual(1.5 * (readsWithFew ?? NaN) + 1);
      }
    if (name === 'asha')
      expect(many.decide(countedInput(0.35, 0).input).decision.reason).toContain(`of ${MANY + 1} at this rung`);
  });
});
