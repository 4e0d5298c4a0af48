import { changeKnobs } from '../../../domain/source/change-knobs.ts';
import type { Constant } from '../../../domain/source/find-constants.ts';
import { findKnobs, type FoundKnob, type FoundKnobs } from '../../../domain/source/find-knobs.ts';
import { refused } from '../../errors.ts';

/** Most knobs that the summary lists, and most constants that are none. */
const LISTED = { knobs: 12, others: 3 };

/** Chooses the knobs in a program's mutable files (path to text), changed by --knobs. Refuses wrong changes. */
export function chooseKnobs(specs: readonly string[], files: Readonly<Record<string, string>>): FoundKnobs {
  const guessed = findKnobs(files);
  const changed = changeKnobs(specs, { guessed, files });
  if (!changed.ok)
    throw refused(`${changed.problem}. For example: --knobs "rate=0.01..1 batch=8..256:log act=relu|gelu -depth"`);
  const isKnob = ({ file, name }: Constant): boolean =>
    changed.found.some(({ knob }) => knob.file === file && knob.name === name);
  return { ...guessed, found: changed.found, others: guessed.others.filter((constant) => !isKnob(constant)) };
}

/** Rows of the summary: each knob with its value and its range, then constants without a range. */
export function describeKnobs({ found, others, repeated }: FoundKnobs): string[][] {
  const files = new Set(found.map(({ knob }) => knob.file));
  const shown = found.slice(0, LISTED.knobs).map((each) => describeKnob(each, files.size > 1));
  if (found.length > shown.length) shown.push(`and ${found.length - shown.length} more, in task.yaml`);
  if (found.length === 0) shown.push('none, so the proposer has to be a model. To name some: --knobs "NAME=LOW..HIGH"');
  const rows = shown.map((text, i) => [i === 0 ? 'knobs' : '', text]);
  if (found.length > 0) rows.push(['', 'to add, narrow or drop some: --knobs "NAME=LOW..HIGH NAME=A|B -NAME"']);
  const counted = (texts: string[]): string => {
    const more = texts.length - LISTED.others;
    return `${texts.slice(0, LISTED.others).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  };
  const without: string[] = [];
  if (others.length > 0) {
    const names = counted(others.map(({ name, raw }) => `${name} = ${raw}`));
    without.push(`${names}: their values cannot be guessed; give them with --knobs`);
  }
  if (repeated.length > 0) {
    const names = counted(repeated.map(({ file, name, times }) => `${name} (${times} times in ${file})`));
    without.push(`${names}: assigned more than once; rename all but one`);
  }
  return [...rows, ...without.map((text, i) => [i === 0 ? 'no knobs' : '', text])];
}

function describeKnob({ knob, constant }: FoundKnob, withFile: boolean): string {
  const name = `${withFile ? `${knob.file}: ` : ''}${knob.name} = ${constant.raw}`;
  if (knob.type === 'choice') return `${name}: ${knob.values.map(String).join(' or ')}`;
  const kinds = [...(knob.type === 'int' ? ['whole numbers'] : []), ...(knob.scale === 'log' ? ['log'] : [])];
  return [`${name}: ${knob.range.join(' to ')}`, ...kinds].join(', ');
}
