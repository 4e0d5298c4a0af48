import { expect, test } from 'vitest';
import { differenceOf, halfWidthOf } from '../../../../domain/gate/estimate/interval.ts';

test("half of an interval is Student's quantile times the standard error", () => {
  // t(.975) with 2 degrees of freedom is 4.302653.
  expect(halfWidthOf({ variance: 4, df: 2 })).toBeCloseTo(2 * 4.302653, 5);
  expect(halfWidthOf({ variance: 0, df: 5 })).toBe(0);
});

test("a difference has Welch's degrees of freedom", () => {
  // Two samples of ten values each (scipy 1.17): Welch's interval of .061 is −.0093976844 to .1313976844, df 17.485.
  const a = [0.276, 0.248, 0.322, 0.279, 0.312, 0.179, 0.067, 0.239, 0.327, 0.315];
  const b = [0.192, 0.243, 0.196, 0.254, 0.161, 0.179, 0.03, 0.203, 0.276, 0.22];
  const difference = differenceOf(ofRuns(a), ofRuns(b));
  expect(difference.df).toBeCloseTo(17.4853095391, 8);
  expect(difference.mean).toBeCloseTo(0.061, 10);
  expect(difference.mean - halfWidthOf(difference)).toBeCloseTo(-0.0093976844, 8);
});

test('exact values differ exactly', () => {
  const exact = { variance: 0, df: 2, n: 1 };
  expect(halfWidthOf(differenceOf({ ...exact, mean: 3 }, { ...exact, mean: 1 }))).toBe(0);
});

function ofRuns(values: readonly number[]) {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { mean, variance: variance / n, df: n - 1, n };
}
