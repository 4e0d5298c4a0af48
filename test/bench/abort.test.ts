import { describe, expect, it } from 'vitest';
import { summary } from '../../bench/abort/afresh.ts';
import { family, FAMILIES } from '../../bench/abort/families.ts';
import { yardstick } from '../../bench/abort/yardstick.ts';

describe('the families of curves', () => {
  it.each(FAMILIES)('%s are the same for the same seed and have the finals they end at', (name) => {
    const runs = family(name, 50, 3);
    expect(family(name, 50, 3)).toEqual(runs);
    const off = runs.map(({ points, final }) => (points.at(-1)?.value ?? 0) - final).sort((a, b) => a - b);
    // One of the outliers prints another unit.
    expect(Math.abs(off[25] ?? 1)).toBeLessThan(0.06);
  });
});

describe('the yardstick', () => {
  const runs = family('power law', 120, 4);
  const plan = { repeats: 5, seed: 1 };
  it('errs less and gains less the more it asks', () => {
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
    // Those that are better than the end of the best tenth, in each of five orders.
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
});

describe('the summary of many researches', () => {
  const research = (wouldBeIncumbents: number, hits: number, gain = 2) => ({
    wouldBeIncumbents,
    falseAborts: hits / wouldBeIncumbents,
    gain,
  });
  it('has bounds over researches: errors that come together are less certain than those that are spread', () => {
    const spread = Array.from({ length: 50 }, () => research(10, 1));
    const together = Array.from({ length: 50 }, (_, i) => research(10, i % 10 === 0 ? 10 : 0));
    const [cases, wrong, low, high, bound] = summary(spread).map(Number);
    expect([cases, wrong, low, high]).toEqual([500, 0.1, 0.1, 0.1]);
    expect(bound).toBeGreaterThan(0.1);
    const [, same, lower, higher] = summary(together).map(Number);
    expect(same).toBe(0.1);
    expect(lower).toBeLessThan(0.06);
    expect(higher).toBeGreaterThan(0.14);
  });
  it('does not take no error for none: the bound is the exact one of so many researches', () => {
    const [, wrong, low, high, bound, gain, error] = summary([research(10, 0, 1), research(10, 0, 3)]).map(Number);
    expect([wrong, low, high, gain, error]).toEqual([0, 0, 0, 2, 1]);
    expect(bound).toBeCloseTo(1 - Math.sqrt(0.05), 3);
  });
});
