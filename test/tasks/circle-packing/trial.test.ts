import { describe, expect, test } from 'vitest';
import { mostCpuSeconds } from '../../../domain/job/charge.ts';
import { testArtefactTask } from '../maths/artefact-tests.ts';

const { judge, task } = await testArtefactTask('circle-packing', { baseline: [2.57, 2.63] });

/** A grid of 25 circles of radius 1/16, whose coordinates are exact doubles, and one more circle. */
const grid = (last: [number, number, number], radius = 0.0625) =>
  JSON.stringify([
    ...Array.from({ length: 25 }, (_, i) => [0.0625 + 0.125 * (i % 5), 0.0625 + 0.125 * Math.floor(i / 5), radius]),
    last,
  ]);

test('a run may use 1.5 CPU seconds beside an unmodified version of .8, not several times its steps', () => {
  expect(mostCpuSeconds(task.run.budget, 0.8)).toBe(1.5);
});

describe('the judge', () => {
  test('adds the radii of circles that touch each other and the walls', async () => {
    // 25 / 16 + 3 / 16; the last circle touches two walls.
    const { score } = await judge(grid([0.8125, 0.8125, 0.1875]));
    expect(score?.sum).toBe(1.75);
  });

  test('refuses a circle that passes a wall by one part in 2^55, though its doubles add to 1', async () => {
    expect(0.9 + 0.1).toBe(1);
    expect(await judge(grid([0.9, 0.9, 0.1]))).toMatchObject({
      status: 3,
      reason: 'circle 25: expected it inside the square\n',
    });
    expect(await judge(grid([0.9, 0.9, 1 - 0.9]))).toMatchObject({ status: 0 });
  });

  test('refuses an overlap by the last bit of one radius', async () => {
    const next = 0.0625 + 2 ** -56;
    const { reason } = await judge(grid([0.1875, 0.6875, next]));
    expect(reason).toBe('circles 21 and 25: expected no overlap\n');
    expect(await judge(grid([0.1875, 0.6875, 0.0625]))).toMatchObject({ status: 0 });
  });

  test('refuses a radius of zero, and below zero', async () => {
    for (const radius of ['0', '-0', '-0.1'])
      expect(await judge(grid([0.9, 0.9, 7]).replace('7]', `${radius}]`))).toMatchObject({ status: 3 });
  });
});
