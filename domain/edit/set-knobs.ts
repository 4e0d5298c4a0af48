import { literalOf, type KnobValue } from '../knob/knob-value.ts';
import type { Knob } from '../knob/knob.ts';
import type { FailureLabel } from '../trial.ts';
import type { Edit } from './edit.ts';
import { knobEdit, locateKnob, withLiteral } from './knob-edit.ts';

export interface KnobSetting {
  knob: Knob;
  value: KnobValue;
}

export type SetKnobsResult =
  { ok: true; edits: Edit[]; hypothesis: string } | { ok: false; label: FailureLabel; reason: string };

/** Edits that give each knob its value, in order, and what they change in words; `files` are the parent's mutable ones. */
export function setKnobs(settings: readonly KnobSetting[], files: Readonly<Record<string, string>>): SetKnobsResult {
  // Each place is looked up in what the edits before it left.
  const now = { ...files };
  const edits: Edit[] = [];
  const changes: string[] = [];
  for (const { knob, value } of settings) {
    const place = locateKnob(now, knob);
    if (!place) return { ok: false, label: 'edit-does-not-apply', reason: notThere(knob) };
    const literal = literalOf(value, place.at.raw, knob.type === 'float');
    if (literal === place.at.raw) continue;
    edits.push(knobEdit(place, literal));
    changes.push(`${knob.name} ${place.at.raw} → ${literal} (${knob.file})`);
    now[knob.file] = withLiteral(place, literal);
  }
  if (edits.length === 0) return { ok: false, label: 'no-change', reason: sameAs(settings) };
  return { ok: true, edits, hypothesis: changes.join(', ') };
}

const notThere = ({ name, file }: Knob): string =>
  `expected ${name} to stand exactly once in ${file} with a literal value, so that it can be set; start from a parent that has it`;

const sameAs = (settings: readonly KnobSetting[]): string =>
  `expected another value for at least one knob, came those of the parent: ${settings.map(({ knob, value }) => `${knob.name} = ${value}`).join(', ')}`;
