import { z } from 'zod';
import type { KnobValue } from '../../../knob/knob-value.ts';
import type { Knob } from '../../../knob/knob.ts';
import { locateKnob } from '../../../edit/knob-edit.ts';
import { setKnobs } from '../../../edit/set-knobs.ts';
import { defineProposer, type Draw, type DrawInput } from '../../proposer.ts';
import { indexesOf } from '../combinations.ts';
import { noneReason } from '../turn-knob.ts';
import { axisOf } from './axis.ts';

const GridSettings = z.strictObject({
  points: z
    .number()
    .int()
    .min(2)
    .max(1000)
    .default(5)
    .describe('values of each float, and most values of each int, even on its scale and with both ends'),
});

/** Values of a knob on the grid: all of a choice. */
export function gridValues(knob: Knob, points: number): KnobValue[] {
  if (knob.type === 'choice') return [...knob.values];
  const [low, high] = knob.range;
  const axis = axisOf(knob);
  const [first, last] = [axis.position(low) ?? 0, axis.position(high) ?? 1];
  const count = Math.min(points, axis.size);
  const between = Array.from({ length: count }, (_, i) => axis.value(first + ((last - first) * i) / (count - 1 || 1)));
  return [...new Set([low, ...between.slice(1, -1), high])];
}

/**
 * Lists every point of the grid once. The order strides through the grid, so that its first points lie far apart. It
 * starts where the number of earlier candidates suggests that the next new point is.
 */
function* list({ knobs, files, observations }: DrawInput, { points }: z.output<typeof GridSettings>): Generator<Draw> {
  const present = knobs.filter((knob) => locateKnob(files, knob) !== null);
  if (present.length === 0) {
    yield { ok: false, reason: noneReason(knobs) };
    return;
  }
  const values = present.map((knob) => gridValues(knob, points));
  const size = values.reduce((product, { length }) => product * BigInt(length), 1n);
  const tried = observations.total + observations.inFlight.length - 1;
  for (const index of indexesOf(size, Math.max(0, tried))) {
    let rest = index;
    const settings = present.map((knob, i) => {
      const choices = values[i] ?? [];
      const value = choices[Number(rest % BigInt(choices.length))] ?? null;
      rest /= BigInt(choices.length);
      return { knob, value };
    });
    yield setKnobs(settings, files);
  }
}

/** Tries every combination of evenly spaced values of the knobs, then ends the search. */
export const grid = defineProposer({
  settings: GridSettings,
  needs: ['knobs'],
  writes: 'knobs',
  readsPrompt: false,
  runs: 'at-once',
  // Their number alone is read.
  observes: { best: 0, latest: 0 },
  list,
});
