import { describe, expect, it } from 'vitest';
import { shareCurve } from '../../../../../domain/abort/share-curve.ts';
import { spreadOf } from '../../../../../domain/abort/rules/power-law-sprt.ts';
import { valueAtEnd, fitPowerLaw } from '../../../../../domain/abort/rules/power-law/fit.ts';
import { ABORT_RULES } from '../../../../../domain/abort/table.ts';
import { openRule, type RunningRule } from '../../../../../domain/abort/rules.ts';
import type { CurvePoint } from '../../../../../domain/abort/types.ts';
import { BUDGET, configFor, fallingTo } from '../../support.ts';

/** log((1 − β)/β) with β = .05. The log likelihood ratio of one look at z sigmas is z − ½. */
const LOG_19 = 2.94443897916644;
const ABORTS_AT = LOG_19 + 0.5;
const KEEPS_AT = 0.5 - LOG_19;
const NEAR = 1e-3;

/** Finals whose improvements are 2, 1 and 4, with mean 7/3: their variance is (1 + 16 + 25) / 9 / 2. */
const FINALS = [10, 8, 9, 7, 7, 3];
const SPREAD = Math.sqrt(42 / 18);

const knowing = (finals: readonly number[]): RunningRule =>
  finals.reduce(
    (rule, final) => rule.learn({ points: fallingTo(final), budget: BUDGET, final }),
    openRule('power-law-sprt', configFor('minimize')),
  );

/** Points up to a tenth of the budget: the first look is the only one. */
const POINTS = fallingTo(5, { noise: 0.2, seed: 3, until: 10 });

function fitAt(share: number, points: readonly CurvePoint[]): { end: number; sd: number } {
  const fit = fitPowerLaw(shareCurve(points, BUDGET, 'minimize'), share);
  if (fit === null) throw new Error(`no power law fits at ${share}`);
  return { end: valueAtEnd(fit), sd: fit.sd };
}

const isStopped = (rule: RunningRule, incumbent: number, points: readonly CurvePoint[] = POINTS): boolean =>
  rule.decide({ points, budget: BUDGET, incumbent }).decision.abort;

describe('the published power-law rule', () => {
  it('stops a run at a log likelihood ratio of log 19 or more', () => {
    const { end } = fitAt(0.1, POINTS);
    const rule = knowing(FINALS);
    expect(isStopped(rule, end - (ABORTS_AT + NEAR) * SPREAD)).toBe(true);
    expect(isStopped(rule, end - (ABORTS_AT - NEAR) * SPREAD)).toBe(false);
  });

  it('keeps a run for good at −log 19, whatever it shows later', () => {
    // The curve falls up to a tenth of the budget, and lies far above from there on.
    const points = [...POINTS, ...fallingTo(500, { until: 20 }).slice(10)];
    const [first, second] = [fitAt(0.1, points).end, fitAt(0.2, points).end];
    expect(second - first).toBeGreaterThan(20 * SPREAD);
    const rule = knowing(FINALS);
    expect(isStopped(rule, first - (KEEPS_AT - NEAR) * SPREAD, points)).toBe(false);
    expect(isStopped(rule, first - (KEEPS_AT + NEAR) * SPREAD, points)).toBe(true);
  });

  it('takes the spread of the fit for sigma while fewer than two improvements are known', () => {
    const { end, sd } = fitAt(0.1, POINTS);
    expect(Math.abs(sd - SPREAD)).toBeGreaterThan(0.5);
    for (const finals of [[], [3], [10, 8], [8, 10, 9, 3]]) {
      expect(isStopped(knowing(finals), end - (ABORTS_AT + NEAR) * sd)).toBe(true);
      expect(isStopped(knowing(finals), end - (ABORTS_AT - NEAR) * sd)).toBe(false);
    }
    const two = Math.abs(8 - 10 - (3 - 8)) / Math.SQRT2;
    expect(isStopped(knowing([10, 8, 3]), end - (ABORTS_AT + NEAR) * two)).toBe(true);
    expect(isStopped(knowing([10, 8, 3]), end - (ABORTS_AT - NEAR) * two)).toBe(false);
  });
});

describe('a step beyond the budget', () => {
  const beyond = (step: number) => ({
    points: [...POINTS, { step, elapsed: 2, value: 5 }],
    budget: BUDGET,
    incumbent: 1,
  });

  it('adds no looks beyond the end of the budget', () => {
    const { reason } = knowing(FINALS).decide(beyond(300)).decision;
    expect(reason).toContain('after 10 looks');
  });

  it.each(ABORT_RULES)('however far, is judged at once by %s', (name) => {
    expect(openRule(name, configFor('minimize')).decide(beyond(Number.MAX_VALUE)).decision.reason).toBeDefined();
  });
});

describe('the spread of the improvements', () => {
  it('is their standard deviation, with one degree of freedom less than their number', () => {
    expect(spreadOf([10, 8, 7, 3])).toBeCloseTo(SPREAD, 12);
    expect(spreadOf([5, 4, 2])).toBeCloseTo(Math.SQRT1_2, 12);
  });

  it('is unknown for fewer than two, or if all are alike', () => {
    for (const incumbents of [[], [5], [5, 4], [3, 2, 1]]) expect(spreadOf(incumbents)).toBeNull();
  });
});
