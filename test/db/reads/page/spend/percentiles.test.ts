import { expect, test } from 'vitest';
import { percentiles } from '../../../../../db/reads/page/spend/percentiles.ts';
import { createRandom } from '../../../../../domain/statistics/random.ts';

/** As `percentile_cont` of Postgres defines it. */
function interpolated(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [low = 0, high = 0] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

test.each([
  ['distinct values', (random: () => number) => random() * 100],
  ['values that are often equal', (random: () => number) => Math.floor(random() * 4)],
])('percentiles over columns are those of all values together: %s', (_name, draw) => {
  const random = createRandom(3);
  for (const sizes of [[1], [2, 0], [5, 1, 9], [200, 3, 0, 77]]) {
    const columns = sizes.map((size) => Float64Array.from({ length: size }, () => draw(() => random.uniform())).sort());
    const all = columns.flatMap((column) => [...column]);
    for (const share of [0, 0.25, 0.5, 0.95, 1])
      expect(percentiles(columns, [share])[0]).toBeCloseTo(interpolated(all, share), 12);
  }
});

test('there is no percentile without values', () => {
  expect(percentiles([new Float64Array(0)], [0.5, 0.95])).toEqual([null, null]);
});
