import { describe, expect, it } from 'vitest';
import { family, FAMILIES, type Family } from '../../../../bench/abort/families.ts';
import { replay } from '../../../../domain/abort/replay/replay.ts';
import type { ReplayCurve } from '../../../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT } from '../../../../domain/abort/types.ts';
import { binomialInterval } from '../../../../domain/statistics/binomial-interval.ts';

describe('matched-time', () => {
  const RUNS = 300;
  /** Seeds on which the rule was not developed. */
  const SEEDS = [1001, 1002, 1003, 1004, 1005];
  /** Five standard deviations of the finals: too small for another unit, but the run looks worse than any other. */
  const JOLT = 0.1;
  /** The least share of runs that the rule has to stop, so that it cannot meet its target by doing nothing. */
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

  /** A replay in which would-be stops run on, so that their ends are known. The value to beat ends the best tenth. */
  const wishes = (curves: ReplayCurve[], seed: number) =>
    replay(curves, {
      ...DEFAULT_ABORT,
      rule: 'matched-time',
      direction: 'minimize',
      incumbent: 'quantile',
      slots: 1,
      repeats: 1,
      seed,
      audit: { first: RUNS, share: 1 },
    });

  describe('matched-time, over new runs of a family whose truth is known', () => {
    it.each(drawn)(
      '%s: wants to stop many runs, but not so many winners that it surely misses its target',
      (name, draw) => {
        const reports = SEEDS.map((seed) => wishes(draw(seed), seed));
        const cases = reports.reduce((sum, { wouldBeIncumbents }) => sum + wouldBeIncumbents, 0);
        const wrongs = reports.map((report) => Math.round(report.wantedFalse * report.wouldBeIncumbents));
        const wrong = wrongs.reduce((sum, count) => sum + count, 0);
        // The target of 2 % is 3 of 145 winners. Up to 6 are within the 95 % interval.
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

  describe('power-law-sprt-corrected, over new runs whose errors and correlation it has to learn', () => {
    it.each(NOISY)('%s: does not want to stop so many winners that it surely misses its target', (name) => {
      const reports = SEEDS.map((seed) =>
        replay(family(name, RUNS, seed), {
          ...DEFAULT_ABORT,
          rule: 'power-law-sprt-corrected',
          direction: 'minimize',
          incumbent: 'quantile',
          slots: 1,
          repeats: 1,
          seed,
          audit: { first: RUNS, share: 1 },
        }),
      );
      const cases = reports.reduce((sum, report) => sum + report.wouldBeIncumbents, 0);
      const wrong = reports.reduce((sum, report) => sum + Math.round(report.wantedFalse * report.wouldBeIncumbents), 0);
      expect(cases).toBe(14 * SEEDS.length);
      expect(binomialInterval(wrong, cases, 0.95).low).toBeLessThanOrEqual(DEFAULT_ABORT.errorTarget);
      // The rule meets its target although it stops runs.
      if (name !== 'heavy noise') for (const { wanted } of reports) expect(wanted).toBeGreaterThan(0.1);
    });
  });
});
