import type { Random } from '../../../statistics/random.ts';
import type { Axis } from '../space/axis.ts';
import type { Point } from '../space/even-draw.ts';
import type { BandwidthRule } from './bandwidth.ts';
import { mixtureOf } from './mixture.ts';

export interface PointInput {
  axes: readonly Axis[];
  /** Points of both groups, oldest first. */
  good: readonly Point[];
  bad: readonly Point[];
  random: Random;
}

/**
 * Draws candidates from the density of the good points, and returns the candidate with the largest ratio of that
 * density to the density of the bad points.
 */
export function choosePoint(
  { axes, good, bad, random }: PointInput,
  { candidates, rule }: { candidates: number; rule: BandwidthRule },
): Point {
  const likely = mixtureOf(axes, good, rule);
  const unlikely = mixtureOf(axes, bad, rule);
  let chosen: { point: Point; ratio: number } | null = null;
  for (let i = 0; i < candidates; i += 1) {
    const point = likely.sample(random);
    const ratio = likely.logDensity(point) - unlikely.logDensity(point);
    if (chosen === null || ratio > chosen.ratio) chosen = { point, ratio };
  }
  return chosen?.point ?? likely.sample(random);
}
