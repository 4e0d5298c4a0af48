import type { Random } from '../../../statistics/random.ts';
import type { Axis } from './axis.ts';

/** A position on each axis, in the order of the axes. */
export type Point = readonly number[];

/** Draws a point evenly: each value of an int or choice, and each position of a float, is equally likely. */
export const evenDraw = (axes: readonly Axis[], random: Random): number[] =>
  axes.map((axis) => {
    if (axis.kind === 'choice') return random.below(axis.size);
    return axis.kind === 'float' ? random.uniform() : centreOf(axis, random.uniform());
  });

/** The position of the value whose cell contains `position`. */
export const centreOf = (axis: Axis, position: number): number => axis.position(axis.value(position)) ?? position;
