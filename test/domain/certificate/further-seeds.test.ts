import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { compareSeeds, furtherSeeds } from '../../../domain/certificate/further-seeds.ts';
import { createRandom } from '../../../domain/statistics/random.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const normal = (n: number, seed: number): number[] => {
  const random = createRandom(seed);
  return Array.from({ length: n }, () => 0.9 + 0.017 * random.normal());
};

it('the further seeds depend on the root alone, and a larger number begins with the same seeds', () => {
  const [few, many] = [furtherSeeds(7, 3, sha256), furtherSeeds(7, 20, sha256)];
  expect(many.slice(0, 3)).toEqual(few);
  expect(new Set(many).size).toBe(20);
  expect(few).toEqual([1, 2, 3].map((k) => parseInt(sha256(`certificate\n7\n${k}`).slice(0, 8), 16) & 0x7fffffff));
  expect(furtherSeeds(8, 3, sha256)).not.toEqual(few);
});

it('the comparison has the mean of the further values with its 95 % interval', () => {
  const compared = compareSeeds(0.9, [0.88, 0.9, 0.92, 0.9], 'maximize');
  // Student's t with 3 degrees of freedom: 3.1824 · .016330 / 2.
  expect(compared).toMatchObject({ mean: 0.9, min: 0.88, max: 0.92, allEqual: false, isOutlier: false });
  expect(compared?.sd).toBeCloseTo(0.01633, 5);
  expect(compared?.plusMinus).toBeCloseTo(0.025984, 5);
  expect(compared?.excess).toBeCloseTo(0, 10);
});

it('a public value is an outlier only on the better side of the metric', () => {
  const values = normal(20, 3);
  const mean = values.reduce((sum, value) => sum + value, 0) / 20;
  const outlier = (value: number, direction: 'minimize' | 'maximize') =>
    compareSeeds(value, values, direction)?.isOutlier;
  expect([outlier(mean + 0.1, 'maximize'), outlier(mean - 0.1, 'maximize')]).toEqual([true, false]);
  expect([outlier(mean + 0.1, 'minimize'), outlier(mean - 0.1, 'minimize')]).toEqual([false, true]);
});

it('an honest public value is an outlier once in a hundred times, the best of 2,000 in nine of ten', () => {
  let [honest, chosen] = [0, 0];
  for (let i = 0; i < 4000; i += 1) {
    const values = normal(20, 10_000 + i);
    if (compareSeeds(normal(1, i)[0] ?? 0, values, 'maximize')?.isOutlier) honest += 1;
    if (i < 200 && compareSeeds(Math.max(...normal(2000, i)), values, 'maximize')?.isOutlier) chosen += 1;
  }
  expect(honest).toBeLessThanOrEqual(60);
  expect(chosen).toBeGreaterThanOrEqual(170);
});

it('equal values say that the evaluator may be deterministic', () => {
  const all = Array.from({ length: 20 }, () => 5);
  expect(compareSeeds(5, all, 'minimize')).toMatchObject({ allEqual: true, isOutlier: false, excess: null });
  expect(compareSeeds(4, all, 'minimize')).toMatchObject({ allEqual: false, isOutlier: true, excess: null });
});

it('one further seed has a mean and no spread, and none has no comparison', () => {
  expect(compareSeeds(5, [4], 'maximize')).toMatchObject({ mean: 4, sd: null, plusMinus: null, isOutlier: false });
  expect(compareSeeds(5, [], 'maximize')).toBeNull();
});
