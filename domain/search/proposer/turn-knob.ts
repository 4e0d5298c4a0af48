import { type KnobLocation, locateKnob } from '../../edit/knob-edit.ts';
import { setKnobs } from '../../edit/set-knobs.ts';
import { createRandom, type Random } from '../../statistics/random.ts';
import { drawnAmong } from '../../knob/in-space.ts';
import type { KnobValue } from '../../knob/knob-value.ts';
import type { Knob } from '../../knob/knob.ts';
import type { Draw, KnobInput } from '../proposer.ts';
import { perturb } from './perturb.ts';

/** Default number of significant digits: enough for a search, and few enough to read. */
const DIGITS = 4;

/**
 * Changes exactly one knob from its value in `files` (path to text), with a generator seeded by `seed`. Ignores knobs
 * that another proposer removed from the files; if none remains, returns the reason. `digits`: significant digits of a
 * float.
 */
export function turnKnob({ knobs, files, seed }: KnobInput, { digits = DIGITS }: { digits?: number } = {}): Draw {
  const random = createRandom(seed);
  const turnable = knobs.flatMap((knob) => locateKnob(files, knob) ?? []);
  const chosen = turnable[random.below(turnable.length)];
  if (!chosen) return { ok: false, reason: noneReason(knobs) };
  return setKnobs([{ knob: chosen.knob, value: turnedValue(chosen, { random, digits }) }], files);
}

/** Draws another value of a knob, starting from its current value. */
export const turnedValue = (
  { knob, value }: Pick<KnobLocation, 'knob' | 'value'>,
  { random, digits = DIGITS }: { random: Random; digits?: number },
): KnobValue =>
  knob.type === 'choice' ? another(knob.values, value, random) : perturb(knob, Number(value), { random, digits });

function another(values: readonly KnobValue[], value: KnobValue, random: Random): KnobValue {
  const drawn = drawnAmong(
    values.filter((other) => other !== value),
    random,
  );
  return drawn === undefined ? value : drawn;
}

export const noneReason = (knobs: readonly Knob[]): string =>
  "expected at least one knob that the parent's files set exactly once, to a literal value, " +
  `found none of ${knobs.length}` +
  ` (${knobs.map(({ file, name }) => `${name} in ${file}`).join(', ') || 'the task has no knobs'})`;
