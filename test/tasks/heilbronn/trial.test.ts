import { describe, expect, test } from 'vitest';
import { testArtefactTask } from '../maths/artefact-tests.ts';

const { judge } = await testArtefactTask('heilbronn', { baseline: [0.02, 0.033] });

/** Ten points on a parabola, of which three neighbours have the area 1/4096, and one more point. */
const parabola = (last: [number, number]) =>
  JSON.stringify([...Array.from({ length: 10 }, (_, i) => [i / 16, (i / 16) ** 2]), last]);

describe('the judge', () => {
  test('computes the smallest area exactly, rounded down', async () => {
    // |det| of (1/16, 1/256) and (2/16, 4/256) is 2/4096.
    const { score } = await judge(parabola([0, 1]));
    expect(score?.area).toBe(Math.floor((2 / 4096) * 1e15) / 1e15);
  });

  test('counts a point twice as the area zero', async () => {
    expect((await judge(parabola([0.125, 0.015625]))).score?.area).toBe(0);
  });

  test('rounds an area below 1e-15 down to zero', async () => {
    expect(await judge(parabola([0, 5e-324]))).toMatchObject({ status: 0, score: { area: 0 } });
  });

  test('refuses a point beyond an edge by one part in 2^55, though its doubles add to 1', async () => {
    expect(0.9 + 0.1).toBe(1);
    const reason = 'point 10: expected it inside the triangle: u ≥ 0, v ≥ 0, u + v ≤ 1\n';
    expect(await judge(parabola([0.9, 0.1]))).toMatchObject({ status: 3, reason });
    expect(await judge(parabola([0.9, 1 - 0.9]))).toMatchObject({ status: 0 });
    expect(await judge(parabola([-5e-324, 0.5]))).toMatchObject({ status: 3, reason });
  });
});
