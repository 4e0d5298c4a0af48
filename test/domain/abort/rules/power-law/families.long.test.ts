import { describe, expect, it } from 'vitest';
import { family, type Family } from '../../../../../bench/abort/families.ts';
import { replay } from '../../../../../domain/abort/replay/replay.ts';
import { DEFAULT_ABORT } from '../../../../../domain/abort/types.ts';
import { binomialInterval } from '../../../../../domain/statistics/binomial-interval.ts';

const RUNS = 150;
const SEEDS = [2001, 2002, 2003, 2004, 2005];
const FAMILIES: Family[] = ['power law', 'heavy noise', 'AR(1) .9', 'AR(1) .99'];

describe('power-law-sprt-corrected, over new runs, with errors and correlation that it has to learn', () => {
  it.each(FAMILIES)('%s: does not want to stop so many winners that its target is missed for certain', (name) => {
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
    // It does not hold that by stopping nothing.
    if (name !== 'heavy noise') for (const { wanted } of reports) expect(wanted).toBeGreaterThan(0.1);
  });
});
