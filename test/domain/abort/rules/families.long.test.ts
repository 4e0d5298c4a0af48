import { describe, expect, it } from 'vitest';
import { family, FAMILIES, type Family } from '../../../../bench/abort/families.ts';
import { replay } from '../../../../domain/abort/replay/replay.ts';
import type { ReplayCurve } from '../../../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT } from '../../../../domain/abort/types.ts';
import { binomialInterval } from '../../../../domain/statistics/binomial-interval.ts';

describe('matched-time', () => {
  const RUNS = 300;
  /** Not those that the rule was developed on. */
  const SEEDS = [1001, 1002, 1003, 1004, 1005];
  /** Five standard deviations of the finals: no other unit, but a run that looks worse than any. */
  const JOLT = 0.1;
  /** Share of runs that the rule wants to stop at least, so that it does not err little by doing nothing. */
  const LEAST: Partial<Record<string, number>> = { 'moderate outliers': 0.05, outliers: 0.1, 'heavy noise': 0.1 };

  const moderateOutliers = (seed: number): ReplayCurve[] =>
    family('power law', RUNS, seed).map((curve, i) => {
      const off = i % 25 === 24 ? JOLT : 0;
      return { ...curve, points: curve.points.map((point) => ({ ...point, value: point.value + off })) };
    });

  const drawn: [string, (seed: number) => ReplayCurve[]][] = [
    ...FAMILIES.map((name): (typeof drawn)[number] => [name, (seed) => family(name, RUNS, seed)]),
    ['moderate outliers', moderateOutliers],
  ];

  /** All would-be stops run on, so that every one of them is seen; to beat is the end of the best tenth. */
  const wishes = (curves: ReplayCurve[], seed: number) =>
    replay(curves, {
      ...DEFAULT_ABORT,
      ...{ rule: 'matched-time', direction: 'minimize', incumbent: 'quantile' },
      ...{ slots: 1, repeats: 1, seed, audit: { first: RUNS, share: 1 } },
    });

  describe('matched-time, over new runs of a family whose truth is known', () => {
    it.each(drawn)(
      '%s: wants to stop many, and of those that win not so many that its target is missed for certain',
      (name, draw) => {
        const reports = SEEDS.map((seed) => wishes(draw(seed), seed));
        const cases = reports.reduce((sum, { wouldBeIncumbents }) => sum + wouldBeIncumbents, 0);
        const wrong = reports.reduce((sum, one) => sum + Math.round(one.wantedFalse * one.wouldBeIncumbents), 0);
        // 145 winners: 2 % of them are 3, and up to 6 are within the margin of so many.
        expect(cases).toBe(29 * SEEDS.length);
        expect(binomialInterval(wrong, cases, 0.95).low).toBeLessThanOrEqual(DEFAULT_ABORT.errorTarget);
        for (const { wanted } of reports) expect(wanted).toBeGreaterThan(LEAST[name] ?? 0.4);
      },
    );
  });
});

describe('power law', () => {
  const RUNS = 150;
  const SEEDS = [2001, 2002, 2003, 2004, 2005];
  const NOISY: Family[] = ['power law', 'heavy noise', 'AR(1) .9', 'AR(1) .99'];

  describe('power-law-sprt-corrected, over new runs, with errors and correlation that it has to learn', () => {
    it.each(NOISY)('%s: does not want to stop so many winners that its target is missed for certain', (name) => {
      const reports = SEEDS.map((seed) =>
        replay(family(name, RUNS, seed), {
          ...DEFAULT_ABORT,
          ...{ rule: 'power-law-sprt-corrected', direction: 'minimize', incumbent: 'quantile' },
          ...{ slots: 1, repeats: 1, seed, audit: { first: RUNS, share: 1 } },
        }),
      );
      const cases = reports.reduce((sum, one) => sum + one.wouldBeIncumbents, 0);
      const wrong = reports.reduce((sum, one) => sum + Math.round(one.wantedFalse * one.wouldBeIncumbents), 0);
      expect(cases).toBe(14 * SEEDS.length);
      expect(binomialInterval(wrong, cases, 0.95).low).toBeLessThanOrEqual(DEFAULT_ABORT.errorTarget);
      // The rule keeps this bound while it stops runs.
      if (name !== 'heavy noise') for (const { wanted } of reports) expect(wanted).toBeGreaterThan(0.1);
    });
  });
});
