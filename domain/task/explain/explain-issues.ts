import type { z } from 'zod';
import { narrowIssue } from '../../issue/narrow-issue.ts';
import { nearestKey } from '../../text/nearest-key.ts';
import { type Problem, describeValue, pathText } from '../../issue/problem.ts';
import { NAME_RULE, taskNameFrom } from '../task-name.ts';
import { constantTexts, describeSchemas } from './describe-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { homesOf, keysOf, type OtherVariants, otherVariants, schemasAt, unionsAt, valueAt } from './schema-walk.ts';

/** A value that a person wrote, and the schema that it should fit. */
export interface Written {
  schema: JsonSchema;
  value: unknown;
}

/** A problem with the most similar known name; `at: 'key'` locates it at the key, not at its value. */
export type ExplainedProblem = Problem & { nearest?: string | null; at?: 'key' };

/** Explains zod's issues to a person, with the most similar known name for each. */
export const explainIssues = (error: z.ZodError, written: Written): ExplainedProblem[] =>
  error.issues
    .flatMap((issue) => narrowIssue(issue, valueAt(issue.path, written.value)))
    .flatMap((issue) => problemsOf(issue, written));

/** Synonyms that people write for a value. By spelling alone they would be corrected to a wrong value. */
const SYNONYMS: Readonly<Record<string, string>> = {
  // Wall clock is the only measure of a run's use of a GPU.
  gpu: 'wall',
  gpus: 'wall',
  cuda: 'wall',
  'gpu-time': 'wall',
  'gpu-seconds': 'wall',
  clock: 'wall',
  'wall-clock': 'wall',
  walltime: 'wall',
  time: 'wall',
  real: 'wall',
};

/** The known value that a word is a synonym of; null if there is none. */
function synonymOf(got: string, known: readonly string[]): string | null {
  const word = got.trim().toLowerCase().replaceAll(/[_ ]/g, '-');
  const meant = Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined;
  return meant !== undefined && known.includes(meant) ? meant : null;
}

function problemsOf(issue: z.core.$ZodIssue, written: Written): ExplainedProblem[] {
  const { value, schema } = written;
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey([...path, key], written));
  const got = valueAt(path, value);
  if (issue.code === 'invalid_key') {
    const expected = issue.issues[0]?.message ?? 'another name';
    return [{ path, at: 'key', expected, got: describeValue(String(path.at(-1))), todo: 'rename it' }];
  }
  const schemas = schemasAt(schema, path, value);
  const [union] = unionsAt(schema, path, value);
  const fitting = union?.example === undefined ? describeSchemas(schemas) : `a mapping such as ${union.example}`;
  const expected = messageOf(issue) ?? fitting;
  if (got === undefined) {
    const found = missing(path, expected);
    // If the missing key selects an option of a union, zod checks no other key, and reports no misspelt one.
    return [issue.code === 'invalid_union' ? withMisspelt(found, valueAt(path.slice(0, -1), value)) : found];
  }
  const known = constantTexts(schemas);
  // A known value is refused for another reason than its spelling.
  const isMisspelt = typeof got === 'string' && !known.includes(got);
  const nearest = isMisspelt ? (synonymOf(got, known) ?? nearestKey(got, known)) : null;
  const todo = todoFor(got, { nearest, expected, inList: typeof path.at(-1) === 'number' });
  return [
    {
      path,
      expected,
      got: describeValue(got),
      nearest,
      todo: todo === '' ? (union?.hint ?? '') : todo,
    },
  ];
}

/** The expected value in the issue's own words, if they are clearer than its schema; else null. */
function messageOf(issue: z.core.$ZodIssue): string | null {
  if (issue.code === 'invalid_format' || issue.code === 'custom') return issue.message;
  return issue.code === 'too_big' && issue.origin === 'string' ? `a text of at most ${issue.maximum} characters` : null;
}

function missing(path: Problem['path'], expected: string): ExplainedProblem {
  const key = String(path.at(-1));
  return { path, expected, got: 'nothing', todo: `add ${key}`, says: `it is missing; expected ${expected}` };
}

/** Adds the misspelt key beside the missing one, if there is one. */
function withMisspelt(found: ExplainedProblem, beside: unknown): ExplainedProblem {
  const key = String(found.path.at(-1));
  const misspelt = Object.keys(beside ?? {}).find((name) => nearestKey(name, [key]) !== null);
  if (misspelt === undefined) return found;
  return { ...found, todo: `rename ${misspelt}`, says: `${found.says}; did you misspell it as ${misspelt}?` };
}

interface ValueContext {
  nearest: string | null;
  expected: string;
  inList: boolean;
}

function todoFor(got: unknown, { nearest, expected, inList }: ValueContext): string {
  if (nearest !== null) return `did you mean ${nearest}?`;
  if (got === null)
    return inList ? 'write a value behind the dash, or remove it' : 'write a value behind the colon, or remove the key';
  if (typeof got === 'string' && /number/.test(expected) && got.trim() !== '' && Number.isFinite(Number(got)))
    return 'remove the quotes';
  if (typeof got === 'string' && /number/.test(expected) && /^\s*[-+.]?\d/.test(got))
    return 'write a bare number, without a unit; a fraction has a point';
  if (typeof got === 'number' && expected === 'a text') return 'put it in quotes';
  if (typeof got === 'string' && /^a text of at most\b/.test(expected)) return 'shorten it, or put it into a file';
  if (/^a list\b/.test(expected) && (typeof got === 'string' || typeof got === 'number'))
    return `write it as a list: [${String(got).slice(0, 60)}]`;
  if (/^a mapping\b/.test(expected) && typeof got !== 'object') return 'write its keys below it, indented';
  if (typeof got === 'string' && expected === NAME_RULE) return `write for example ${taskNameFrom(got)}`;
  return '';
}

function unknownKey(path: Problem['path'], { value, schema }: Written): ExplainedProblem {
  const key = String(path.at(-1));
  const known = keysOf(schemasAt(schema, path.slice(0, -1), value));
  if (key === '<<') return mergeKey(path);
  const variants = otherVariants(schema, path.slice(0, -1), { key, value });
  if (variants !== null) return keyOfOtherVariant(path, variants, known);
  const nearest = nearestKey(key, known);
  const place = placeFor(schema, path);
  let elsewhere = '';
  if (place !== null) elsewhere = nearest === null ? `it belongs ${place}` : ` (or does it belong ${place}?)`;
  const todo = nearest === null ? elsewhere || 'remove it' : `did you mean ${nearest}?${elsewhere}`;
  const expected = `one of ${known.join(', ')}`;
  return {
    path,
    at: 'key',
    expected,
    got: `the unknown key ${key}`,
    nearest,
    todo,
    says: `the key is not known; expected ${expected}; ${todo}`,
  };
}

/** An unknown key that the mapping would have with another `type` or `name`. */
function keyOfOtherVariant(
  path: Problem['path'],
  { by, chosen, others }: OtherVariants,
  known: readonly string[],
): ExplainedProblem {
  const key = String(path.at(-1));
  const todo = `remove it, or set ${by}: ${others.join(' or ')}`;
  return {
    path,
    at: 'key',
    expected: `one of ${known.join(', ')}`,
    got: `the unknown key ${key}`,
    nearest: null,
    todo,
    says: `with ${by}: ${chosen}, this key is not allowed; ${todo}`,
  };
}

/** Largest depth of a mapping in another section that is suggested as the place of a key: `run.resources` has 2. */
const DEEPEST_PLACE = 2;

/**
 * The other mapping that an unknown key belongs to, such as "under run.resources". Null if no mapping has the key, if
 * several have it, or if the only one is deep in another section: the key's name is then a coincidence.
 */
function placeFor(schema: JsonSchema, path: Problem['path']): string | null {
  const parent = path.length === 1 ? '' : pathText(path.slice(0, -1)).replaceAll(/\[\d+\]/g, '[]');
  const homes = homesOf(schema, String(path.at(-1)));
  const isOther = (home: string): boolean => home !== parent;
  const inSection = homes.all.filter((home) => isOther(home) && home !== '' && sectionOf(home) === sectionOf(parent));
  const [only, ...others] = inSection.length === 1 ? inSection : homes.usual.filter(isOther);
  if (only === undefined || others.length > 0) return null;
  if (only === '') return 'at the top level';
  const isNear = inSection.length === 1 || only.split('.').length <= DEEPEST_PLACE;
  return isNear ? `under ${only}` : null;
}

/** The first key of a path. */
const sectionOf = (path: string): string | undefined => path.split(/[.[]/)[0];

const mergeKey = (path: Problem['path']): ExplainedProblem => ({
  path,
  at: 'key',
  expected: 'keys written out',
  got: 'the merge key <<',
  todo: 'merge keys are not supported; write the values out, or give single values an &anchor and use its *alias',
});
