import { describe, expect, it } from 'vitest';
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
});
