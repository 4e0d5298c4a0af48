import { describe, expect, it } from 'vitest';
import { family } from '../../../bench/abort/families.ts';
import { ABORT_RULES, type AbortRuleName } from '../../../domain/abort/table.ts';
import { openRule, type RunningRule } from '../../../domain/abort/rules.ts';
import { DEFAULT_ABORT, type AbortInput } from '../../../domain/abort/types.ts';

const POINTS = 2000;
const [FEW, MANY] = [50, 200];
/** Passes over the points of a run in one decision. */
const PASSES = 10;
/** Distances of the judged runs from the incumbent: a rule examines only some of them closely. */
const LEVELS = [0, 0.06, 0.3];

function taught(name: AbortRuleName, finished: number): RunningRule {
  return family('heavy noise', finished, 5).reduce(
    // asha learns nothing from a run without a name.
    (rule, curve, i) => rule.learn({ ...curve, run: `r${i}` }),
    openRule(name, { ...DEFAULT_ABORT, direction: 'minimize' }),
  );
}

/** A run of `POINTS` points at a share of its budget, and the number of reads of its points. */
function lookAt(share: number, level: number): { input: AbortInput; reads: () => number } {
  const value = (i: number): number => 4 + level - (share * i) / POINTS;
  const all = Array.from({ length: POINTS }, (_, i) => ({ step: i + 1, elapsed: i, value: value(i) }));
  let reads = 0;
  const points = new Proxy(all, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  const budget = { kind: 'steps', total: POINTS / share } as const;
  return { input: { points, budget, incumbent: 3.3, run: 'new', before: share - 0.05 }, reads: () => reads };
}

/** The cost of a decision never grows with points × finished runs. `bench/abort/costs.ts` measures the speed. */
describe.each(ABORT_RULES)('a decision of %s', (name) => {
  it('reads a run of many points a few times, at a rung and near the end, however many runs have finished', () => {
    const [few, many] = [taught(name, FEW), taught(name, MANY)];
    for (const share of [0.35, 0.9])
      for (const level of LEVELS) {
        const [seldom, often] = [few, many].map((rule) => {
          const { input, reads } = lookAt(share, level);
          // A decision at this share shows that the rule has used its whole state.
          expect(rule.decide(input).decision.share).toBeCloseTo(share, 9);
          return reads();
        });
        expect(often).toBeLessThanOrEqual(PASSES * POINTS);
        expect(often).toBeLessThanOrEqual(1.5 * (seldom ?? NaN) + 1);
      }
    if (name === 'asha')
      expect(many.decide(lookAt(0.35, 0).input).decision.reason).toContain(`of ${MANY + 1} at this rung`);
  });
});
