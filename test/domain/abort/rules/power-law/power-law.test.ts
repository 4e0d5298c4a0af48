import { describe, expect, it } from 'vitest';
import { shareCurve } from '../../../../../domain/abort/share-curve.ts';
import { chainOf } from '../../../../../domain/abort/rules/power-law/chain.ts';
import { valueAtEnd, fitPowerLaw } from '../../../../../domain/abort/rules/power-law/fit.ts';
import { createRandom } from '../../../../../domain/statistics/random.ts';
import { BUDGET, fallingTo } from '../../support.ts';
import { withoutOutlierRows } from '../../../../../domain/abort/rules/power-law-sprt-corrected.ts';

describe('a power law', () => {
  it('is forecast at the end of the budget and not at the last point', () => {
    const points = fallingTo(1.1, { until: 40 });
    const fit = fitPowerLaw(shareCurve(points, BUDGET, 'minimize'), 0.4);
    expect(points.at(-1)?.value).toBeGreaterThan(2);
    expect(Math.abs((fit ? valueAtEnd(fit) : 0) - 1.1)).toBeLessThan(0.1);
  });

  it('is not misled by many early lines that fall steeply', () => {
    const flood = Array.from({ length: 200_000 }, (_, i) => ({ step: 2 + i / 1e5, elapsed: 1, value: 12 - i / 2e4 }));
    const points = [...flood, ...fallingTo(3, { until: 60 }).filter(({ step }) => step > 4)];
    const fit = fitPowerLaw(shareCurve(points, BUDGET, 'minimize'), 0.6);
    expect(Math.abs((fit ? valueAtEnd(fit) : 0) - 3)).toBeLessThan(0.3);
  });

  it('needs five points and a range', () => {
    expect(fitPowerLaw(shareCurve(fallingTo(1, { until: 4 }), BUDGET, 'minimize'), 1)).toBeNull();
    const flat = fallingTo(1).map((point) => ({ ...point, value: 1 }));
    expect(fitPowerLaw(shareCurve(flat, BUDGET, 'minimize'), 1)).toBeNull();
  });
});

describe('the chain of forecast errors', () => {
  it('finds bias, spread and correlation again', () => {
    const random = createRandom(4);
    const rows = Array.from({ length: 4000 }, () => {
      const first = random.normal();
      return [first + 0.5, 0.9 * first + Math.sqrt(1 - 0.81) * random.normal() - 0.2];
    });
    const chain = chainOf(rows, [0, 1]);
    expect(chain?.bias[0]).toBeCloseTo(0.5, 1);
    expect(chain?.bias[1]).toBeCloseTo(-0.2, 1);
    expect(chain?.links[1]?.phi).toBeCloseTo(0.9, 1);
    expect(chain?.links[1]?.variance).toBeCloseTo(0.19, 1);
  });

  it('needs eight runs that have all looks', () => {
    expect(chainOf([...Array.from({ length: 7 }, () => [0, 1]), [null, 1]], [0, 1])).toBeNull();
  });
});

const rows = Array.from({ length: 21 }, (_, i): (number | null)[] => [i / 20, i < 15 ? null : i]);

describe('forecast errors', () => {
  it('are all kept if none is absurd', () => {
    expect(withoutOutlierRows(rows)).toBe(rows);
    expect(withoutOutlierRows([])).toEqual([]);
    expect(withoutOutlierRows([[1], [1], [1e9]])).toHaveLength(3);
  });

  it('are left out with their run if one lies beyond ten times the spread between the outer tenths', () => {
    // The tenths, which are the third and the nineteenth of 22 sorted values, are .1 or .05, and .9 or .85.
    expect(withoutOutlierRows([...rows, [0.9 + 8 + 1e-9, null]])).toHaveLength(21);
    expect(withoutOutlierRows([...rows, [0.9 + 8 - 1e-9, null]])).toHaveLength(22);
    expect(withoutOutlierRows([...rows, [0.05 - 8 - 1e-9, null]])).toHaveLength(21);
  });

  it('at a look that most runs lack are no reason to leave a run out', () => {
    expect(withoutOutlierRows([...rows, [0.5, 1e9]])).toHaveLength(22);
  });
});
