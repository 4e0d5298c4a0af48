import { describe, expect, it } from 'vitest';
import { summary } from '../../bench/abort/compare-on-families.ts';
import { countsOf } from '../../bench/abort/compare-on-curves.ts';
import { family, FAMILIES } from '../../bench/abort/families.ts';
import { FIRST_TESTS, firstTestLimit, withFirstTest } from '../../bench/abort/first-test.ts';
import { yardstick } from '../../bench/abort/yardstick.ts';
import { residualLimit } from '../../domain/abort/rules/matched-time/against-all.ts';
import { matchedTime } from '../../domain/abort/rules/matched-time.ts';
import { replay, replayAll } from '../../domain/abort/replay/replay.ts';
import type { ReplayPlan } from '../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT } from '../../domain/abort/types.ts';
import { trainRule } from '../../bench/abort/costs.ts';
import type { AbortRuleName } from '../../domain/abort/table.ts';

describe('the families of curves', () => {
  it.each(FAMILIES)('%s are the same for the same seed and have the finals they end at', (name) => {
    const runs = family(name, 50, 3);
    expect(family(name, 50, 3)).toEqual(runs);
    const off = runs.map(({ points, final }) => (points.at(-1)?.value ?? 0) - final).sort((a, b) => a - b);
    // A run of the family "outliers" prints another unit, so the median is compared.
    expect(Math.abs(off[25] ?? 1)).toBeLessThan(0.06);
  });
});

describe('the yardstick', () => {
  const runs = family('power law', 120, 4);
  const plan = { repeats: 5, seed: 1 };
  it('errs less and gains less if it asks for more evidence', () => {
    const [bold, shy] = [1, 4].map((z) => yardstick(runs, { kind: 'regression', z }, plan));
    expect(bold?.falseAborts).toBeGreaterThan(shy?.falseAborts ?? 1);
    expect(bold?.gain).toBeGreaterThan(shy?.gain ?? Infinity);
  });
  it('is bounded by perfect foresight, which never errs', () => {
    const best = yardstick(runs, { kind: 'foresight' }, plan);
    expect(best).toMatchObject({ falseAborts: 0, regret: 0 });
    expect(best.gain).toBeGreaterThan(yardstick(runs, { kind: 'regression', z: 3 }, plan).gain);
  });
  it('is bounded more closely by the best monotone predictor in hindsight, which never errs on a winner either', () => {
    const monotone = yardstick(runs, { kind: 'monotone' }, plan);
    expect(monotone).toMatchObject({ falseAborts: 0, regret: 0 });
    expect(monotone.gain).toBeLessThan(yardstick(runs, { kind: 'foresight' }, plan).gain);
    expect(monotone.gain).toBeGreaterThan(1);
  });
  it('against a fixed number is bounded in the same way, and its cases are the best tenth', () => {
    const fixed = { ...plan, incumbent: 'quantile' } as const;
    const [regression, monotone, foresight] = (
      [{ kind: 'regression', z: 3 }, { kind: 'monotone' }, { kind: 'foresight' }] as const
    ).map((rule) => yardstick(runs, rule, fixed));
    // The cases are the runs better than the end of the best tenth, in each of five orders.
    for (const row of [regression, monotone, foresight]) expect(row?.wouldBeIncumbents).toBe(5 * 11);
    for (const bound of [monotone, foresight]) expect(bound).toMatchObject({ falseAborts: 0, regret: 0 });
    expect(regression?.gain).toBeGreaterThan(1);
    expect(monotone?.gain).toBeGreaterThan(regression?.gain ?? Infinity);
    expect(foresight?.gain).toBeGreaterThan(monotone?.gain ?? Infinity);
    // All but eleven of 120 stop at a tenth of the budget.
    expect(foresight?.gain).toBeCloseTo(120 / (11 + 109 * 0.1), 10);
  });
  it('is bounded more closely by foresight that pays for the same audits', () => {
    const fixed = { ...plan, incumbent: 'quantile' } as const;
    const gain = (first: number, share: number): number =>
      yardstick(runs, { kind: 'foresight', audit: { first, share } }, fixed).gain;
    expect(gain(30, 0)).toBeCloseTo(120 / (11 + 30 + 79 * 0.1), 10);
    expect(gain(0, 1)).toBe(1);
    const shared = gain(0, 0.05);
    expect(shared).toBeLessThan(gain(0, 0));
    expect(shared).toBeGreaterThan(gain(0, 0.2));
  });
  it('also bounds a monotone predictor with the same audits, which never make it err', () => {
    const [whole, shared, first, all] = (
      [undefined, { first: 0, share: 0.05 }, { first: 30, share: 0.05 }, { first: 0, share: 1 }] as const
    ).map((audit) => yardstick(runs, audit ? { kind: 'monotone', audit } : { kind: 'monotone' }, plan));
    for (const row of [whole, shared, first, all]) expect(row).toMatchObject({ falseAborts: 0, regret: 0 });
    expect(shared?.gain).toBeLessThan(whole?.gain ?? 0);
    expect(first?.gain).toBeLessThan(shared?.gain ?? 0);
    expect(all?.gain).toBe(1);
  });
});

/** A run that shows `value` at every look and ends at `final`. */
const flat = (value: number, final = value) => ({
  group: String(final),
  points: Array.from({ length: 10 }, (_, i) => ({ step: i + 1, elapsed: i + 1, value })),
  budget: { kind: 'steps', total: 10 } as const,
  final,
});

describe('the plain median', () => {
  const play = (runs: ReturnType<typeof flat>[]) => yardstick(runs, { kind: 'median' }, { repeats: 1, seed: 1 });
  it('stops a run at the first look if it is worse than half of the ended ones, once there are five', () => {
    const five = [5, 4, 3, 2, 1].map((value) => flat(value));
    expect(play([...five.slice(1), flat(9)]).aborted).toBe(0);
    expect(play([...five, flat(2.5)]).aborted).toBe(0);
    expect(play([...five, flat(9)])).toMatchObject({ aborted: 1 / 6, falseAborts: 0, gain: 6 / 5.1 });
  });
  it('errs on a winner that starts late', () => {
    const five = [1, 2, 3, 4, 5].map((value) => flat(value));
    expect(play([...five, flat(9, 0.5)])).toMatchObject({ wouldBeIncumbents: 1, falseAborts: 1, regret: 0.5 });
  });
});

const PLAN: ReplayPlan = {
  ...DEFAULT_ABORT,
  rule: 'asha',
  direction: 'minimize',
  incumbent: 'quantile',
  audit: { first: 0, share: 0.05 },
  slots: 1,
  repeats: 2,
  seed: 1,
};

describe('the counts for the range on real curves', () => {
  it('are the errors and the slot time of the replay, by curve', () => {
    const runs = family('crossing', 120, 2);
    const report = replay(runs, PLAN);
    const counts = countsOf(runs, replayAll(runs, PLAN));
    type Count = (typeof counts)[number];
    const sum = (part: (count: Count) => number) => counts.reduce((all, count) => all + part(count), 0);
    expect(sum(({ cases }) => cases)).toBe(report.wouldBeIncumbents);
    expect(report.falseAborts).toBeGreaterThan(0);
    expect(sum(({ hits }) => hits) / report.wouldBeIncumbents).toBeCloseTo(report.falseAborts, 10);
    expect(sum(({ whole }) => whole) / sum(({ used }) => used)).toBeCloseTo(report.gain, 10);
  });
});

describe('the first test of matched-time, taken apart', () => {
  const stateAfter = (n: number) =>
    family('heavy noise', n, 6).reduce(
      (state, curve) => matchedTime.learn(state, curve),
      matchedTime.init({ ...DEFAULT_ABORT, direction: 'minimize' }, {}),
    );
  it.each([9, 10, 20, 40])('after %d runs has the larger limit of its two halves', (n) => {
    const state = stateAfter(n);
    const [t, conformal, both] = FIRST_TESTS.map((test) => firstTestLimit(test, state));
    expect(both).toBe(residualLimit(state));
    expect(both).toBe(n < 10 ? null : Math.max(t ?? 0, conformal ?? 0));
  });
  it('has a limit even if one run printed another unit, since its values are left out', () => {
    const odd = { ...flat(40, 3.3), group: 'odd' };
    const before = stateAfter(20);
    const state = matchedTime.learn(before, odd);
    expect(state.known).toHaveLength(before.known.length + 1);
    for (const test of FIRST_TESTS)
      expect(firstTestLimit(test, state)).toBeLessThanOrEqual(firstTestLimit(test, before) ?? 0);
  });
  it('stops more runs with one half alone, and is restored afterwards', () => {
    const runs = family('power law', 120, 4);
    const plan = { ...PLAN, rule: 'matched-time', incumbent: 'running' } as const;
    const whole = replay(runs, plan);
    const [t, conformal, both] = FIRST_TESTS.map((test) => withFirstTest(test, () => replay(runs, plan)));
    expect(both).toEqual(whole);
    expect(Math.max(t?.gain ?? 0, conformal?.gain ?? 0)).toBeGreaterThan(whole.gain);
    expect(replay(runs, plan)).toEqual(whole);
  });
});

describe('the summary of many researches', () => {
  const research = (wouldBeIncumbents: number, hits: number, gain = 2) => ({
    wouldBeIncumbents,
    falseAborts: hits / wouldBeIncumbents,
    gain,
  });
  it('has bounds over researches: clustered errors are less certain than spread ones', () => {
    const spread = Array.from({ length: 50 }, () => research(10, 1));
    const together = Array.from({ length: 50 }, (_, i) => research(10, i % 10 === 0 ? 10 : 0));
    const [cases, wrong, low, bound] = summary(spread).map(Number);
    expect([cases, wrong]).toEqual([500, 0.1]);
    // All researches are alike, so the upper limit is the exact one of 5 of 50.
    expect([low, bound]).toEqual([0.1, 0.1988]);
    const [, same, lower, higher] = summary(together).map(Number);
    expect(same).toBe(0.1);
    expect(lower).toBeLessThan((low ?? 0) / 2);
    expect(higher).toBeGreaterThanOrEqual(bound ?? 1);
  });
  it('has the exact bound for its number of researches if no error was seen', () => {
    const [, wrong, low, bound, gain, error] = summary([research(10, 0, 1), research(10, 0, 3)]).map(Number);
    expect([wrong, low, gain, error]).toEqual([0, 0, 2, 1]);
    expect(bound).toBeCloseTo(1 - Math.sqrt(0.05), 3);
  });
});

/** The rules that learn from ended runs. The published power law stores nothing of them. */
const LEARNING: readonly AbortRuleName[] = ['matched-time', 'median', 'asha', 'power-law-sprt-corrected'];

describe('a rule whose decisions are timed', () => {
  it.each(LEARNING)('%s has learned the given number of runs', (name) => {
    const size = (runs: number): number => JSON.stringify(trainRule(name, runs).state).length;
    expect(size(60)).toBeGreaterThan(1.5 * size(30));
  });

  it('asha compares with all known runs at its rung', () => {
    const points = Array.from({ length: 10 }, (_, i) => ({ step: i + 1, elapsed: i + 1, value: 9 }));
    const asked = { points, budget: { kind: 'steps', total: 30 }, incumbent: 3.3, run: 'new' } as const;
    expect(trainRule('asha', 60).decide(asked).decision.reason).toContain('of 61 at this rung');
  });
});
