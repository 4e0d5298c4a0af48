import { describe, expect, it } from 'vitest';
import { countRuns, NO_COUNTS, type AuditCounts, type Audited } from '../../../../domain/abort/audit/counts.ts';
import { evidenceOf, lowerLimit, type AuditShare } from '../../../../domain/abort/audit/evidence.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';

const KINDS: AuditShare[] = ['wrongStops', 'falseAborts'];
const count = (runs: readonly Audited[]): AuditCounts => runs.reduce(countRuns, NO_COUNTS);
const wanted = (runs: number, good: boolean | null, probability: number): Audited => ({ runs, good, probability });
const survivors = (runs: number): Audited => ({ runs, good: true, probability: null });

describe('the evidence against a bound', () => {
  it.each(KINDS)('of %s is the mean wealth of three bets, multiplied by each run', (kind) => {
    const counts = count([survivors(2), wanted(1, true, 0.5), wanted(3, null, 0.5)]);
    // Misses: two survivors, or three would-be stops without a hit. A hit pays (1 − t)/p, or 1/p − t.
    const [misses, payoff] = kind === 'falseAborts' ? [2, 0.98 / 0.5] : [3, 1 / 0.5 - 0.02];
    const wealths = [1, 5, 15].map((bet) => (1 - bet * 0.02) ** misses * (1 + bet * payoff));
    expect(evidenceOf(kind, counts, 0.02)).toBeCloseTo(wealths.reduce((sum, wealth) => sum + wealth, 0) / 3, 9);
  });

  it.each(KINDS)('of %s seldom reaches 20 against the true mean, though rule and audit share change', (kind) => {
    let reached = 0;
    const seeds = 600;
    for (let seed = 0; seed < seeds; seed += 1) {
      const random = createRandom(seed);
      let [counts, sum, n, ever] = [NO_COUNTS, 0, 0, false];
      for (let i = 0; i < 300; i += 1) {
        const probability = i < 30 ? 1 : 0.1;
        // The rule errs most while few runs are audited: unweighted audits would show a tenth of the error.
        const [wantedOfGood, wantedOfBad, good] = [i < 100 ? 0.01 : 0.1, i < 100 ? 0.5 : 0.3, random.uniform() < 0.4];
        const wish = random.uniform() < (good ? wantedOfGood : wantedOfBad);
        const audited = random.uniform() < probability;
        if (kind === 'falseAborts' ? good : wish) {
          const wrong = 0.4 * wantedOfGood;
          sum += kind === 'falseAborts' ? wantedOfGood : wrong / (wrong + 0.6 * wantedOfBad);
          n += 1;
        }
        if (wish) counts = countRuns(counts, { good: audited ? good : null, probability });
        else if (good) counts = countRuns(counts, { good, probability: null });
        if (n > 0 && evidenceOf(kind, counts, sum / n) >= 20) ever = true;
      }
      reached += Number(ever);
    }
    expect(reached / seeds).toBeLessThanOrEqual(0.05);
  });
});

describe('the lower limit', () => {
  it.each(KINDS)('of %s is the bound whose evidence is 1/δ, and 0 without a hit', (kind) => {
    const counts = count([survivors(40), wanted(10, true, 0.5), wanted(30, false, 0.5)]);
    const limit = lowerLimit(kind, counts, 0.05);
    expect(limit).toBeGreaterThan(0.05);
    expect(evidenceOf(kind, counts, limit)).toBeCloseTo(20, 6);
    expect(lowerLimit(kind, counts, 0.01)).toBeLessThan(limit);
    expect(lowerLimit(kind, count([survivors(40), wanted(30, false, 0.5)]), 0.05)).toBe(0);
    expect(lowerLimit(kind, NO_COUNTS, 0.05)).toBe(0);
  });

  it('approaches the true share with many runs', () => {
    const counts = count([
      survivors(400),
      wanted(190, true, 1),
      wanted(10, true, 0.05),
      wanted(1000, false, 1),
      wanted(800, null, 0.05),
    ]);
    // The true shares: 390 of 2,000 would-be stops and 390 of 790 good runs.
    expect(lowerLimit('wrongStops', counts, 0.05)).toBeGreaterThan(0.1);
    expect(lowerLimit('wrongStops', counts, 0.05)).toBeLessThan(0.195);
    expect(lowerLimit('falseAborts', counts, 0.05)).toBeGreaterThan(0.3);
    expect(lowerLimit('falseAborts', counts, 0.05)).toBeLessThan(0.494);
  });
});
