import type { Edit } from '../../edit/edit.ts';
import { createRandom, type Random } from '../../random.ts';
import { type Assignment, findAssignments, type KnobValue, literalOf } from '../../task/knob-value.ts';
import type { Knob } from '../../task/schema/knob.ts';
import type { Draw, DrawInput } from '../proposer.ts';
import { perturb } from './perturb.ts';

interface Turnable {
  knob: Knob;
  source: string;
  at: Assignment;
  value: KnobValue;
}

/**
 * Changes exactly one knob from where it stands in `files` (path to text), by a generator seeded with `seed`. Knobs
 * that another proposer removed from the files are left out; where none is left, the reason says so.
 */
export function turnKnob({ knobs, files, seed }: DrawInput): Draw {
  const random = createRandom(seed);
  const turnable = knobs.flatMap((knob) => turnableIn(files, knob));
  const chosen = turnable[random.below(turnable.length)];
  if (!chosen) return { ok: false, reason: noneReason(knobs) };
  const { knob, at, value } = chosen;
  const next = knob.type === 'choice' ? another(knob.values, value, random) : perturb(knob, Number(value), random);
  const literal = literalOf(next, at.raw, knob.type === 'float');
  return {
    ok: true,
    edits: [editOf(chosen, literal)],
    hypothesis: `${knob.name} ${at.raw} → ${literal} (${knob.file})`,
  };
}

function turnableIn(files: Record<string, string>, knob: Knob): Turnable[] {
  const source = Object.hasOwn(files, knob.file) ? files[knob.file] : undefined;
  const found = source === undefined ? [] : findAssignments(source, knob.name);
  const [at] = found;
  if (source === undefined || at?.value === undefined || found.length !== 1) return [];
  if (knob.type !== 'choice' && !Number.isFinite(at.value)) return [];
  return [{ knob, source, at, value: at.value }];
}

function another(values: readonly KnobValue[], value: KnobValue, random: Random): KnobValue {
  const others = values.filter((other) => other !== value);
  return others[random.below(others.length)] ?? value;
}

// The line alone where it is the only one of its kind, so that the lineage reads well; else the whole file.
function editOf({ knob, source, at }: Turnable, literal: string): Edit {
  const start = source.lastIndexOf('\n', at.start - 1) + 1;
  const end = source.indexOf('\n', at.end);
  const line = source.slice(start, end < 0 ? undefined : end).replace(/\r$/, '');
  const changed = line.slice(0, at.start - start) + literal + line.slice(at.end - start);
  const alone = source.split(/\r?\n/).filter((other) => other === line).length === 1;
  if (alone) return { path: knob.file, search: line, replace: changed };
  return { path: knob.file, content: source.slice(0, at.start) + literal + source.slice(at.end) };
}

const noneReason = (knobs: readonly Knob[]): string =>
  `expected at least one knob that stands exactly once in the parent's files with a literal value, found none of ${knobs.length}` +
  ` (${knobs.map(({ file, name }) => `${name} in ${file}`).join(', ') || 'the task has no knobs'})`;
