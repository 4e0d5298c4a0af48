import { createHash } from 'node:crypto';
import { knobValuesIn } from '../../domain/edit/knob-edit.ts';
import { structureContent } from '../../domain/edit/structure.ts';
import type { Knob } from '../../domain/knob/knob.ts';
import type { KnobValues } from '../../domain/knob/knob-value.ts';

type Files = Readonly<Record<string, string>>;

/** The structure of a candidate with these mutable files (path to text); null for a task without knobs. */
export const structureOf = (knobs: readonly Knob[], files: Files): string | null =>
  knobs.length === 0 ? null : createHash('sha256').update(structureContent(knobs, files)).digest('hex');

/** Values of the knobs in these files, with the structure. */
export const knobsAndStructure = (
  knobs: readonly Knob[],
  files: Files,
): { knobs: KnobValues; structure: string | null } => ({
  knobs: knobValuesIn(knobs, files),
  structure: structureOf(knobs, files),
});
