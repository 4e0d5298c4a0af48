import { describe, expect, it } from 'vitest';
import { family } from '../../../bench/abort/families.ts';
import { ABORT_RULES, type AbortRuleName } from '../../../domain/abort/table.ts';
import { openRule, type RunningRule } from '../../../domain/abort/rules.ts';
import { DEFAULT_ABORT, type AbortInput } from '../../../domain/abort/types.ts';

const FINISHED = 1000;
const POINTS = 10_000;
const TRIES = 100;
/** Milliseconds. */
const MOST = 5;
/** Of the runs looked at, above the incumbent: a rule looks closely only at some. */
const LEVELS = [0, 0.06, 0.3];

function taught(name: AbortRuleName): RunningRule {
  return family('heavy noise', FINISHED, 5).reduce(
    // Of a run without a name asha learns nothing.
    (rule, curve, i) => rule.learn({ ...curve, run: `r${i}` }),
    openRule(name, { ...DEFAULT_ABORT, direction: 'minimize' }),
  );
}

/** A run of so many points at a share of its budget. */
function lookAt(share: number, level: number): AbortInput {
  const value = (i: number): number => 4 + level - (share * i) / POINTS;
  const points = Array.from({ length: POINTS }, (_, i) => ({ step: i + 1, elapsed: i, value: value(i) }));
  return { points, budget: { kind: 'steps', total: POINTS / share }, incumbent: 3.3, run: 'new', before: share - 0.05 };
}

/** Milliseconds of the quickest try, or of the first that is quick enough. */
function leastTime(rule: RunningRule, input: AbortInput): number {
  let least = Infinity;
  for (let i = 0; i < TRIES && least >= MOST; i += 1) {
    const begun = performance.now();
    rule.decide(input);
    least = Math.min(least, performance.now() - begun);
  }
  return least;
}

/**
 * A guard of the order of what a decision costs, no measure of speed (`bench/abort/costs.ts` is one): the quickest of many
 * tries is below several times the goal of 1 ms on a slow, busy machine too, but not where a decision costs points times
 * finished curves.
 */
describe.each(ABORT_RULES)('a decision of %s', (name) => {
  it(`takes less than ${MOST} ms at ${POINTS} points and ${FINISHED} finished runs, at a rung and near the end`, () => {
    const rule = taught(name);
    for (const share of [0.35, 0.9])
      for (const level of LEVELS) {
        const look = lookAt(share, level);
        // It decides, by all that it knows.
        expect(rule.decide(look).decision.share).toBeCloseTo(share, 9);
        expect(leastTime(rule, look)).toBeLessThan(MOST);
      }
    if (name === 'asha')
      expect(rule.decide(lookAt(0.35, 0)).decision.reason).toContain(`of ${FINISHED + 1} at this rung`);
  });
});
