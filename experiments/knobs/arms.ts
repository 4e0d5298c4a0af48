import { createRandom, type Random } from '../../domain/statistics/random.ts';
import { turnKnobs } from '../../domain/search/proposer/turn-knobs.ts';
import type { KnobValue } from '../../domain/knob/knob-value.ts';
import type { Knob } from '../../domain/knob/knob.ts';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { type Problem, valuesIn } from './problem.ts';

/** The next text to try, from the best one so far. */
export type Arm = (problem: Problem, from: { best: string; seed: number }) => string;

/** Every knob anew, evenly on its scale; it knows of no best. */
export const uniformValues = (knobs: readonly Knob[], random: Random): KnobValue[] =>
  knobs.map((knob) =>
    knob.type === 'choice' ? (knob.values[random.below(knob.values.length)] ?? '') : valueAt(knob, random.uniform()),
  );

export const ARMS: Readonly<Record<string, Arm>> = {
  uniform: ({ knobs, textOf }, { seed }) => textOf(uniformValues(knobs, createRandom(seed))),
  'random of 0.2': ({ knobs, textOf }, { best, seed }) => textOf(turnedAsBefore(knobs, valuesIn(knobs, best), seed)),
  random: ({ knobs, file }, { best, seed }) => {
    const files = { [file]: best };
    const drawn = turnKnobs({ knobs, files, seed });
    if (!drawn.ok) throw new Error(drawn.reason);
    const applied = applyEdits(files, drawn.edits, [file]);
    if (!applied.ok) throw new Error(applied.reason);
    return applied.files[file] ?? best;
  },
};

/** As `random` was in 0.2: one knob, redrawn in 15 of 100 draws, else a step of .02 to .3 of its range. */
function turnedAsBefore(knobs: readonly Knob[], values: readonly KnobValue[], seed: number): KnobValue[] {
  const random = createRandom(seed);
  const turned = random.below(knobs.length);
  return values.map((value, i) => {
    const knob = knobs[i];
    if (i !== turned || knob === undefined) return value;
    if (knob.type === 'choice') {
      const others = knob.values.filter((other) => other !== value);
      return others[random.below(others.length)] ?? value;
    }
    if (random.uniform() < 0.15) return valueAt(knob, random.uniform());
    const folded = Math.abs(positionOf(knob, Number(value)) + 0.02 * 15 ** random.uniform() * random.normal()) % 2;
    return valueAt(knob, folded > 1 ? 2 - folded : folded);
  });
}

type Ranged = Extract<Knob, { range: unknown }>;

function positionOf({ range: [low, high], scale }: Ranged, value: number): number {
  return scale === 'log' ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

function valueAt({ range: [low, high], scale, type }: Ranged, position: number): number {
  const value = scale === 'log' ? low * (high / low) ** position : low + position * (high - low);
  return type === 'int' ? Math.round(value) : value;
}
