import { describe, expect, test } from 'vitest';
import { keepPoint, KEPT_ALL, INITIAL_THINNING, type ThinningState } from '../../../domain/abort/thinning.ts';
import { intervalOf } from '../../../domain/abort/interval.ts';
import { type AbortChoice, ruleText } from '../../../domain/abort/table.ts';

describe('points that are kept', () => {
  /** The shares of the points that are kept in a run that has `stored` points already. */
  function keptOf(shares: readonly number[], stored = KEPT_ALL): number[] {
    let last: ThinningState = INITIAL_THINNING;
    const kept: number[] = [];
    for (const share of shares) {
      const next = keepPoint(stored + kept.length, share, last);
      if (next === null) continue;
      last = JSON.parse(JSON.stringify(next)) as ThinningState;
      kept.push(share);
    }
    return kept;
  }

  test('the first points are all kept, with a share or without one', () => {
    expect(keptOf([0, 0, NaN, NaN, 0], 0)).toEqual([0, 0, NaN, NaN, 0]);
  });

  test('later points are kept once for each thousandth of the budget, and never if they step back', () => {
    const shares = Array.from({ length: 900_001 }, (_, i) => 0.1 + i / 1e6);
    const kept = keptOf(shares);
    expect(kept.length).toBeGreaterThan(890);
    expect(kept.length).toBeLessThan(902);
    expect(keptOf([0.5, 0.4, 0.5, 0.6])).toEqual([0.5, 0.6]);
  });

  test('later points keep a gap in the times as a gap', () => {
    expect(keptOf([0.1, NaN, NaN, 0.2, NaN, 0.3])).toEqual([0.1, NaN, 0.2, NaN, 0.3]);
  });

  test('a run that goes on for ever does not fill the database', () => {
    const endless = Array.from({ length: 100_000 }, (_, i) => i);
    expect(keptOf(endless)).toHaveLength(2000);
  });
});

test('an interval has its ends in order, and is null if an end is not finite', () => {
  expect(intervalOf(3, -1)).toEqual({ low: -1, high: 3 });
  expect([intervalOf(-1e308 * 10, 1), intervalOf(NaN, 1)]).toEqual([null, null]);
});

test.each([
  ['matched-time', 'matched-time'],
  ['asha', 'asha'],
  [{ name: 'asha' }, 'asha'],
  [{ name: 'asha', eta: 3 }, 'asha'],
  [{ name: 'asha', eta: 4 }, 'asha {"eta":4}'],
] as [AbortChoice, string][])('the text of %j is %s, unlike that of rules that decide otherwise', (choice, text) => {
  expect(ruleText(choice)).toBe(text);
});
