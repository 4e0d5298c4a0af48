import type { Random } from '../statistics/random.ts';
import type { KnobValue } from './knob-value.ts';
import type { Knob } from './knob.ts';

/** True if a knob may have the value: it is within the range, or among the values. */
export function isInSpace(knob: Knob, value: KnobValue): boolean {
  if (knob.type === 'choice') return knob.values.includes(value);
  const [low, high] = knob.range;
  if (typeof value !== 'number' || !(value >= low && value <= high)) return false;
  return knob.type === 'float' || Number.isInteger(value);
}

/** The nearest value that the knob may have; for a choice, or a value that is no number, one that is drawn. */
export function nearestInSpace(knob: Knob, value: KnobValue, random: Random): KnobValue {
  if (isInSpace(knob, value)) return value;
  if (knob.type === 'choice') return drawnAmong(knob.values, random) ?? null;
  const [low, high] = knob.range;
  const isNumber = typeof value === 'number' && !Number.isNaN(value);
  const wanted = isNumber ? value : drawnIn(knob, random);
  const within = Math.min(high, Math.max(low, wanted));
  return knob.type === 'int' ? Math.round(within) : within;
}

/** Draws a value; undefined if there is none. */
export const drawnAmong = (values: readonly KnobValue[], random: Random): KnobValue | undefined =>
  values[random.below(values.length)];

function drawnIn({ range: [low, high], scale }: Extract<Knob, { range: unknown }>, random: Random): number {
  const at = random.uniform();
  const drawn = scale === 'log' ? low * (high / low) ** at : low + at * (high - low);
  return Number(drawn.toPrecision(4));
}
