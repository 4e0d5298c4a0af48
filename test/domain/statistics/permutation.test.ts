import { expect, test } from 'vitest';
import { createRandom } from '../../../domain/statistics/random.ts';
import { permutationP } from '../../../domain/statistics/permutation.ts';

/** The share of all ways to choose k values whose sum is at least that of the first k, by brute force. */
function bruteForce(a: readonly number[], b: readonly number[]): number {
  const all = [...a, ...b];
  const seen = a.reduce((sum, x) => sum + x, 0);
  let [total, atLeast] = [0, 0];
  for (let mask = 0; mask < 1 << all.length; mask += 1) {
    const chosen = all.filter((_, i) => mask & (1 << i));
    if (chosen.length !== a.length) continue;
    total += 1;
    if (chosen.reduce((sum, x) => sum + x, 0) >= seen) atLeast += 1;
  }
  return atLeast / total;
}

test('the p value counts the same splits as brute force', () => {
  const random = createRandom(5);
  for (let round = 0; round < 10; round += 1) {
    // Whole numbers spread evenly from 0 to 120: no outlier is pulled in, so the scores are the values themselves.
    const values = [0, 11, 20, 33, 40, 52, 60, 71, 80, 95, 100, 120].sort(() => random.uniform() - 0.5);
    const [a, b] = [values.slice(0, 5), values.slice(5)];
    expect(permutationP(a, b)).toBeCloseTo(bruteForce(a, b), 12);
  }
});

test('complete separation is one split of all', () => {
  expect(permutationP([11, 12, 13, 14], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toBeCloseTo(1 / 1001, 12);
  expect(permutationP([1, 2, 3], [7, 8, 9])).toBe(1);
});

test('values that are all alike, or missing, give p = 1', () => {
  expect(permutationP([2, 2, 2], [2, 2, 2, 2])).toBe(1);
  expect(permutationP([], [1, 2])).toBe(1);
  expect(permutationP([1], [])).toBe(1);
});

test('one wild outlier does not decide', () => {
  const usual = [1, 2, 3, 4, 5, 6, 7];
  expect(permutationP([1.5, 2.5, 3.5, 4.5, 1e9], usual)).toBeGreaterThan(0.1);
});

test('under the null hypothesis the p value keeps its level, even for skewed noise', () => {
  const random = createRandom(9);
  const draw = (n: number): number[] => Array.from({ length: n }, () => -Math.log(1 - random.uniform()));
  let rejected = 0;
  for (let i = 0; i < 1000; i += 1) if (permutationP(draw(5), draw(10)) <= 0.05) rejected += 1;
  expect(rejected).toBeGreaterThan(20);
  expect(rejected).toBeLessThan(70);
});
