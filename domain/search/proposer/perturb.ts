import type { Random } from '../../statistics/random.ts';
import type { Knob } from '../../knob/knob.ts';

type Ranged = Extract<Knob, { range: unknown }>;

/** Share of draws that ignore the parent's value. */
const REDRAW = 0.15;
/**
 * Smallest and largest step, as a share of the range. Steps are log-uniform between them, so that no single radius has
 * to suit both a start far from a good value and one near it (Dietzfelbinger, Rowe, Wegener, Woelfel: Precision, local
 * search and unimodal functions, Algorithmica 59, 2011).
 */
const FINEST = 0.02;
const BOLDEST = 1;

/**
 * Draws another value in the knob's range, mostly near `from`, never `from`. `digits`: significant digits of a float.
 */
export function perturb(knob: Ranged, from: number, { random, digits }: { random: Random; digits: number }): number {
  const axis = axisOf(knob);
  const settle = (value: number): number =>
    clamp(knob, knob.type === 'int' ? Math.round(value) : Number(value.toPrecision(digits)));
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const value = settle(axis.value(draw(axis.position(clamp(knob, from)), random)));
    if (value !== from) return value;
  }
  return nudged(knob, from);
}

/** A map between the knob's range and positions from 0 to 1. */
interface Axis {
  position(value: number): number;
  value(position: number): number;
}

function axisOf({ range: [low, high], scale }: Ranged): Axis {
  const [map, back] = scale === 'log' ? [Math.log, Math.exp] : [(x: number) => x, (x: number) => x];
  const start = map(low);
  const width = map(high) - start;
  return { position: (value) => (map(value) - start) / width, value: (position) => back(start + position * width) };
}

function draw(position: number, random: Random): number {
  if (random.uniform() < REDRAW) return random.uniform();
  const size = FINEST * (BOLDEST / FINEST) ** random.uniform();
  return reflected(position + size * random.normal());
}

// Reflects a step over an end back into the range: clamping would pile up proposals at both ends.
function reflected(position: number): number {
  const folded = Math.abs(position) % 2;
  return folded > 1 ? 2 - folded : folded;
}

const clamp = ({ range: [low, high] }: Ranged, value: number): number => Math.min(high, Math.max(low, value));

// Fallback if rounding cancels every step, as in an integer range of two values.
function nudged(knob: Ranged, from: number): number {
  const [low, high] = knob.range;
  if (knob.type === 'float') return from === high ? low : high;
  const up = Math.floor(from) + 1;
  if (up <= high) return up;
  const down = Math.ceil(from) - 1;
  return down >= low ? down : low;
}
