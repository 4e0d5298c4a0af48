import { describe, expect, test } from 'vitest';
import type { Knob } from '../../../../../domain/knob/knob.ts';
import { axisOf } from '../../../../../domain/search/proposer/space/axis.ts';
import { evenDraw, type Point } from '../../../../../domain/search/proposer/space/even-draw.ts';
import { mixtureOf, weightsOf } from '../../../../../domain/search/proposer/tpe/mixture.ts';
import { createRandom } from '../../../../../domain/statistics/random.ts';

const file = 'a.py';
const FLOAT: Knob = { file, name: 'F', type: 'float', range: [0, 1], scale: 'linear' };
const INT: Knob = { file, name: 'I', type: 'int', range: [1, 9], scale: 'log' };
const CHOICE: Knob = { file, name: 'C', type: 'choice', values: ['a', 'b', null] };
const axes = [FLOAT, INT, CHOICE].map(axisOf);
const [float, int, choice] = axes as [(typeof axes)[0], (typeof axes)[0], (typeof axes)[0]];

const random = createRandom(7);
const points: Point[] = Array.from({ length: 40 }, () => evenDraw(axes, random));
const ints = Array.from({ length: 9 }, (_, i) => int.position(i + 1) ?? expect.unreachable());

describe.each(['scott', 'neighbours'] as const)('a mixture with bandwidths by %s', (rule) => {
  const mixture = mixtureOf(axes, points, rule);
  const probability = (point: Point): number => Math.exp(mixture.logDensity(point));

  test('integrates to 1 over floats, ints and choices together', () => {
    const STEPS = 400;
    let total = 0;
    for (let i = 0; i < STEPS; i += 1)
      for (const at of ints)
        for (const option of [0, 1, 2]) total += probability([(i + 0.5) / STEPS, at, option]) / STEPS;
    expect(total).toBeCloseTo(1, 4);
  });

  test('is sampled as often as its density says', () => {
    const discrete = mixtureOf(
      [int, choice],
      points.map((point) => point.slice(1)),
      rule,
    );
    const draws = 40_000;
    const counts = new Map<string, number>();
    for (let i = 0; i < draws; i += 1) {
      const key = discrete.sample(random).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    let chi = 0;
    for (const at of ints)
      for (const option of [0, 1, 2]) {
        const expected = draws * Math.exp(discrete.logDensity([at, option]));
        chi += ((counts.get([at, option].join()) ?? 0) - expected) ** 2 / expected;
      }
    // 27 cells: the .9999 quantile of chi-squared with 26 degrees of freedom is 62.
    expect(chi).toBeLessThan(62);
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(draws);
  });

  test('samples floats as often as its density says', () => {
    const alone = mixtureOf(
      [float],
      points.map((point) => point.slice(0, 1)),
      rule,
    );
    const draws = 20_000;
    const counts = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < draws; i += 1) {
      const bin = Math.floor(10 * (alone.sample(random)[0] ?? 0));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    counts.forEach((count, bin) => {
      let share = 0;
      for (let i = 0; i < 100; i += 1) share += Math.exp(alone.logDensity([(bin + (i + 0.5) / 100) / 10])) / 1000;
      expect(count / draws).toBeCloseTo(share, 1.5);
    });
  });
});

test('equal groups have a ratio of 1 everywhere', () => {
  const [good, bad] = [mixtureOf(axes, points, 'scott'), mixtureOf(axes, points, 'scott')];
  for (let i = 0; i < 20; i += 1) {
    const point = evenDraw(axes, random);
    expect(good.logDensity(point) - bad.logDensity(point)).toBe(0);
  }
});

test('a point more raises the density near it and lowers it elsewhere', () => {
  const at: Point = [0.9, ints[8] ?? 0, 2];
  const [before, after] = [mixtureOf(axes, points, 'scott'), mixtureOf(axes, [...points, at], 'scott')];
  expect(after.logDensity(at)).toBeGreaterThan(before.logDensity(at));
});

test('without points the density is the prior: finite, and widest in the middle', () => {
  const prior = mixtureOf(axes, [], 'neighbours');
  expect(Number.isFinite(prior.logDensity([0, ints[0] ?? 0, 0]))).toBe(true);
  expect(prior.logDensity([0.5, ints[0] ?? 0, 0])).toBeGreaterThan(prior.logDensity([0, ints[0] ?? 0, 0]));
});

test('the newest 25 points and the prior weigh 1; older ones rise from 1/n', () => {
  expect(weightsOf(3)).toEqual([1, 1, 1, 1]);
  const weights = weightsOf(100);
  expect(weights).toHaveLength(101);
  expect(weights[0]).toBeCloseTo(0.01);
  expect(weights.slice(74).every((weight) => weight === 1)).toBe(true);
  expect(weights.slice(0, 75)).toEqual(weights.slice(0, 75).toSorted((a, b) => a - b));
});
