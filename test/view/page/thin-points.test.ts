import { expect, test } from 'vitest';
import { createRandom } from '../../../domain/statistics/random.ts';
import { spreadEvenly, thinPoints } from '../../../view/page/thin-points.ts';

test('few points stay, and of many at most one for each cell stays, with the corners', () => {
  expect(thinPoints({ x: [1, 2], y: [1, 2] })).toEqual([0, 1]);
  const random = createRandom(1);
  const draw = () => Array.from({ length: 20_000 }, () => random.normal());
  const [x, y] = [
    [1e9, ...draw()],
    [1e9, ...draw()],
  ];
  const kept = thinPoints({ x, y });
  expect(kept.length).toBeGreaterThan(1000);
  expect(kept.length).toBeLessThanOrEqual(48 * 32);
  // An outlier does not press the other points into one cell.
  expect(kept).toContain(0);
  expect(kept).toEqual([...kept].sort((a, b) => a - b));
});

test('an even selection has the first and the last entry', () => {
  expect(spreadEvenly([1, 2, 3], 5)).toEqual([1, 2, 3]);
  const chosen = spreadEvenly([...Array(1000).keys()], 11);
  expect(chosen).toHaveLength(11);
  expect([chosen[0], chosen.at(-1)]).toEqual([0, 999]);
});
