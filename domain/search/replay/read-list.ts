import { z } from 'zod';
import { describeIssue, strict } from '../../issue/describe-issue.ts';
import { isInSpace } from '../../knob/in-space.ts';
import { shownValue } from '../../knob/knob-form.ts';
import type { Knob } from '../../knob/knob.ts';
import { knobKey } from '../../knob/knob-value.ts';
import { knobsNamed } from '../../knob/knobs-named.ts';
import { listNames } from '../../text/list-names.ts';
import { nearestKey } from '../../text/nearest-key.ts';
import type { KnobSetting } from '../../edit/set-knobs.ts';

/** A candidate of a list: values of knobs, whole files, or both. */
export interface ListedCandidate {
  /** Its position, such as `candidates.jsonl:3`. */
  label: string;
  /** Path to text. */
  files: Readonly<Record<string, string>>;
  settings: readonly KnobSetting[];
  hypothesis: string | null;
  /** True: `files` are all files of the candidate, so that it lacks every other one. */
  isWhole?: boolean;
}

/** Parts of a task that decide which candidates it can take. */
export interface ListSpace {
  knobs: readonly Knob[];
  mutablePaths: readonly string[];
}

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Entry = strict({
  knobs: z.record(z.string(), Value).exactOptional(),
  files: z.record(z.string(), z.string()).exactOptional(),
  hypothesis: z.string().max(10_000).exactOptional(),
});
const EXAMPLE = '{"knobs": {"lr": 0.1}} or {"files": {"train.py": "…"}}';

/**
 * Reads a list of candidates: a JSON array, or JSON lines if the path ends in `.jsonl`. A problem begins with the
 * position of its candidate. A list with problems has no candidates.
 */
export function readList(
  text: string,
  { path, ...space }: ListSpace & { path: string },
): { candidates: ListedCandidate[]; problems: string[] } {
  const parsed = path.endsWith('.jsonl') ? parseLines(text, path) : parseArray(text, path);
  if (typeof parsed === 'string') return { candidates: [], problems: [parsed] };
  if (parsed.length === 0)
    return { candidates: [], problems: [`${path}: expected at least one candidate, such as ${EXAMPLE}, got none`] };
  const read = parsed.map((entry) => readEntry(entry, space));
  const problems = read.flatMap((one) => ('problems' in one ? one.problems : []));
  return { problems, candidates: problems.length > 0 ? [] : read.flatMap((one) => ('label' in one ? [one] : [])) };
}

interface Parsed {
  label: string;
  value: unknown;
}

function parseLines(text: string, path: string): Parsed[] | string {
  const parsed: Parsed[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const label = `${path}:${index + 1}`;
    try {
      parsed.push({ label, value: JSON.parse(line) });
    } catch (error) {
      return `${label}: expected a JSON object such as ${EXAMPLE}: ${String(error)}`;
    }
  }
  return parsed;
}

function parseArray(text: string, path: string): Parsed[] | string {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (!Array.isArray(value)) return `${path}: expected a JSON array of candidates such as ${EXAMPLE}`;
    return value.map((entry: unknown, index) => ({ label: `${path}[${index}]`, value: entry }));
  } catch (error) {
    return `${path}: expected a JSON array of candidates such as ${EXAMPLE}: ${String(error)}`;
  }
}

function readEntry(
  { label, value }: Parsed,
  { knobs, mutablePaths }: ListSpace,
): ListedCandidate | { problems: string[] } {
  const at = (problem: string): string => `${label}: ${problem}`;
  const parsed = Entry.safeParse(value);
  if (!parsed.success) return { problems: [at(describeIssue(parsed.error, value, EXAMPLE))] };
  const { files = {}, hypothesis = null } = parsed.data;
  const settings: KnobSetting[] = [];
  const problems: string[] = [];
  for (const path of Object.keys(files))
    if (!mutablePaths.includes(path))
      problems.push(at(`files: expected mutable files (${listNames(mutablePaths)}), got ${JSON.stringify(path)}`));
  for (const [key, wanted] of Object.entries(parsed.data.knobs ?? {})) {
    const named = knobsNamed(key, knobs);
    const [knob] = named;
    if (knob === undefined) problems.push(at(unknownKnob(key, knobs)));
    else if (named.length > 1)
      problems.push(at(`knobs: expected one of ${listNames(named.map(knobKey))}, got ${JSON.stringify(key)}`));
    else if (settings.some((setting) => setting.knob === knob))
      problems.push(at(`knobs: expected one value of ${knobKey(knob)}, got several`));
    else if (isInSpace(knob, wanted)) settings.push({ knob, value: wanted });
    else problems.push(at(`knobs.${key}: expected ${allowed(knob)}, got ${JSON.stringify(wanted)}`));
  }
  if (problems.length === 0 && settings.length === 0 && Object.keys(files).length === 0)
    problems.push(at(`expected knobs or files, such as ${EXAMPLE}, got neither`));
  return problems.length > 0 ? { problems } : { label, files, settings, hypothesis };
}

function unknownKnob(key: string, knobs: readonly Knob[]): string {
  const names = knobs.map(({ name }) => name);
  const nearest = nearestKey(key, names);
  const end = nearest === null ? '' : `; did you mean ${nearest}?`;
  const expected = names.length === 0 ? 'no knobs, since the task has none' : `one of the knobs ${listNames(names)}`;
  return `knobs: expected ${expected}, got ${JSON.stringify(key)}${end}`;
}

/** The values that a knob may have, for a message. */
export function allowed(knob: Knob): string {
  if (knob.type === 'choice') return `one of ${listNames(knob.values.map((value) => shownValue(value, knob)))}`;
  const [low, high] = knob.range;
  return `${knob.type === 'int' ? 'a whole number' : 'a number'} from ${low} to ${high}`;
}
