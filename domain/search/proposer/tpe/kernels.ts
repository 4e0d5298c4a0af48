import { normalCdf, normalDensity } from '../../../statistics/normal.ts';
import type { Random } from '../../../statistics/random.ts';
import type { Axis } from '../space/axis.ts';
import { centreOf } from '../space/even-draw.ts';

/** A kernel on one axis: a normal distribution that is truncated to positions from 0 to 1. */
export interface Kernel {
  centre: number;
  width: number;
}

/** Probability of the positions from 0 to 1 before the truncation. */
export const massWithin = ({ centre, width }: Kernel): number =>
  normalCdf((1 - centre) / width) - normalCdf(-centre / width);

/** Below this width, as a share of the kernel's, the density at the centre of a cell gives its mass. */
const NARROW = 1e-4;
/** Least mass, so that its logarithm is finite. */
const LEAST_MASS = 1e-300;

/** Probability of the positions between two ends before the truncation. */
export function massBetween([from, to]: readonly [number, number], { centre, width }: Kernel): number {
  const [low, high] = [(from - centre) / width, (to - centre) / width];
  const mass = high - low < NARROW ? normalDensity((low + high) / 2) * (high - low) : normalCdf(high) - normalCdf(low);
  return Math.max(LEAST_MASS, mass);
}

/** Draws from a truncated normal that are refused before an even draw takes their place. */
const TRIES = 100;

/** Draws a position of a float, or that of a value of an int. */
export function drawFrom({ centre, width }: Kernel, { axis, random }: { axis: Axis; random: Random }): number {
  let position = -1;
  for (let i = 0; i < TRIES && !(position >= 0 && position < 1); i += 1) position = centre + width * random.normal();
  if (!(position >= 0 && position < 1)) position = random.uniform();
  return axis.kind === 'int' ? centreOf(axis, position) : position;
}

/** Probability that a choice's kernel gives the kernel's own value; `n`: number of observations of the mixture. */
export const shareOfEqual = (size: number, n: number): number => (1 + 1 / (n + 1)) / (1 + size / (n + 1));

/** Probability of each other value. */
export const shareOfOther = (size: number, n: number): number => 1 / (n + 1) / (1 + size / (n + 1));

/** Draws a choice from the kernel of one value; a value that the space no longer has is −1. */
export function drawChoice(value: number, { size, n, random }: { size: number; n: number; random: Random }): number {
  const even = random.uniform() * (1 + size / (n + 1)) < size / (n + 1);
  return even || value < 0 ? random.below(size) : value;
}
