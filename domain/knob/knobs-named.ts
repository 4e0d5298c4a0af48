import type { Knob } from './knob.ts';
import { knobKey } from './knob-value.ts';

/** Knobs with a name, or with a key `file:name`. Several if files share the name. */
export const knobsNamed = (name: string, knobs: readonly Knob[]): Knob[] =>
  knobs.filter((knob) => knob.name === name || knobKey(knob) === name);
