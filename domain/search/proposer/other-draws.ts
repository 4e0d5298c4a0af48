import { type KnobLocation, locateKnob } from '../../edit/knob-edit.ts';
import { type KnobSetting, setKnobs } from '../../edit/set-knobs.ts';
import { createRandom } from '../../statistics/random.ts';
import { hashToSeed } from '../../trial/seed.ts';
import type { Draw, KnobInput } from '../proposer.ts';
import type { KnobValue } from '../../knob/knob-value.ts';
import { type Combination, combinationsOf } from './combinations.ts';
import { turnKnob } from './turn-knob.ts';

/** Numbers of significant digits of floats, from coarse to fine: a narrow range has few values with four digits. */
const DIGITS = [4, 6, 9, 17];
/** Number of draws for each number of digits. */
const DRAWS = 8;

/**
 * Further draws, for a parent whose close variants are all known. If some knobs are floats, each draw changes one
 * float, with more and more digits. Else the draws are all other combinations of values, once each: first those that
 * differ in one knob, then in two, and so on. Empty if the files contain no knob.
 */
export function* otherDraws({ knobs, files, seed }: KnobInput): Generator<Draw> {
  const places = knobs.flatMap((knob) => locateKnob(files, knob) ?? []);
  const floats = places.map(({ knob }) => knob).filter(({ type }) => type === 'float');
  if (floats.length > 0) yield* finerDraws({ knobs: floats, files, seed });
  else yield* combinations(places, { files, seed });
}

function* finerDraws(input: KnobInput): Generator<Draw> {
  for (const digits of DIGITS)
    for (let i = 0; i < DRAWS; i += 1)
      yield turnKnob({ ...input, seed: hashToSeed(`${input.seed}/${digits}/${i}`) }, { digits });
}

function* combinations(places: readonly KnobLocation[], { files, seed }: Omit<KnobInput, 'knobs'>): Generator<Draw> {
  const others = places.map(othersOf);
  const sizes = others.map(({ size }) => size);
  const settingsOf = (choice: Combination): KnobSetting[] =>
    places.flatMap(({ knob }, position) => {
      const chosen = choice.get(position);
      const value = chosen === undefined ? undefined : others[position]?.at(chosen);
      return value === undefined ? [] : [{ knob, value }];
    });
  for (const choice of combinationsOf(sizes, createRandom(seed))) yield setKnobs(settingsOf(choice), files);
}

/** Values of a knob other than the one in the file. */
function othersOf({ knob, value }: KnobLocation): { size: number; at: (index: number) => KnobValue | undefined } {
  if (knob.type === 'choice') {
    const values = knob.values.filter((other) => other !== value);
    return { size: values.length, at: (index) => values[index] };
  }
  const [low, high] = knob.range;
  const count = high - low + 1;
  const current = Number(value) - low;
  const isInRange = Number.isInteger(current) && current >= 0 && current < count;
  return {
    size: isInRange ? count - 1 : count,
    at: (index) => low + (isInRange && index >= current ? index + 1 : index),
  };
}
