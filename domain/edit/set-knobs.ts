import type { KnobValue } from '../knob/knob-value.ts';
import type { Knob } from '../knob/knob.ts';
import { writeLiteral } from '../knob/write-literal.ts';
import type { FailureLabel } from '../trial.ts';
import type { Edit } from './edit.ts';
import { knobEdit, locateKnob, withLiteral } from './knob-edit.ts';

export interface KnobSetting {
  knob: Knob;
  value: KnobValue;
}

export type SetKnobsResult =
  { ok: true; edits: Edit[]; hypothesis: string } | { ok: false; label: FailureLabel; reason: string };

/** Edits that set each knob, in order, with a text of the changes. `files` are the parent's mutable files. */
export function setKnobs(settings: readonly KnobSetting[], files: Readonly<Record<string, string>>): SetKnobsResult {
  // Each knob is located in the files as the earlier edits leave them.
  const now = { ...files };
  const edits: Edit[] = [];
  const changes: string[] = [];
  for (const { knob, value } of settings) {
    const location = locateKnob(now, knob);
    if (!location) return { ok: false, label: 'edit-does-not-apply', reason: notFoundReason(knob) };
    // The same value in another form, such as 1 and 1.0, is no change.
    if (value === location.value) continue;
    const literal = writeLiteral(value, { knob, old: location.at.raw });
    if (literal === null) return { ok: false, label: 'edit-does-not-apply', reason: notWritableReason(knob, value) };
    edits.push(knobEdit(location, literal));
    changes.push(`${knob.name} ${location.at.raw} → ${literal} (${knob.file})`);
    now[knob.file] = withLiteral(location, literal);
  }
  if (edits.length === 0) return { ok: false, label: 'no-change', reason: unchangedReason(settings) };
  return { ok: true, edits, hypothesis: changes.join(', ') };
}

const notFoundReason = ({ name, file }: Knob): string =>
  `expected a parent whose ${file} sets ${name} exactly once, to a literal value; ` +
  'the parent sets it never, several times or to an expression';

const notWritableReason = ({ name, file }: Knob, value: KnobValue): string =>
  `expected a value that ${file} can hold, got ${name} = ${JSON.stringify(value)}; remove it from the knob's values`;

function unchangedReason(settings: readonly KnobSetting[]): string {
  const values = settings.map(({ knob, value }) => `${knob.name} = ${value}`);
  return `expected another value for at least one knob, got those of the parent: ${values.join(', ')}`;
}
