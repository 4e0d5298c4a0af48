import { describe, expect, test } from 'vitest';
import { testArtefactTask } from '../maths/artefact-tests.ts';

const { judge } = await testArtefactTask('min-distance-ratio', { baseline: [14, 15.5] });

const grid = (side: number, last: [number, number] = [3 * side, 3 * side]) =>
  JSON.stringify([...Array.from({ length: 15 }, (_, i) => [side * (i % 4), side * Math.floor(i / 4)]), last]);

describe('the judge', () => {
  test.for([1, 0.1, 5e-324, 1e-200, 1e300])('scores a grid of side %s near 18', async (side) => {
    const { score } = await judge(grid(side));
    // Multiples of .1 are no exact doubles, so their grid is slightly irregular.
    expect(score?.ratio).toBeCloseTo(18, 9);
    expect(score?.ratio).toBeGreaterThanOrEqual(18);
  });

  test('rounds up', async () => {
    // With the last point at (3 + e, 3) the largest square is 18 + 6e + e², and the smallest is 1.
    const { score } = await judge(grid(1, [3 + 2 ** -40, 3]));
    expect(score?.ratio).toBe(Math.ceil((18 + 6 * 2 ** -40) * 1e12) / 1e12);
  });

  test('limits a ratio to 1000', async () => {
    expect((await judge(grid(1, [1e300, 3]))).score?.ratio).toBe(1000);
    expect((await judge(grid(1, [5e-324, 0]))).score?.ratio).toBe(1000);
  });

  test('refuses a point twice, also as -0', async () => {
    const twice = grid(1, [7, 7]).replace('[7,7]', '[-0,0]');
    expect(await judge(twice)).toMatchObject({ status: 3, reason: 'points 0 and 15: expected different points\n' });
  });
});
