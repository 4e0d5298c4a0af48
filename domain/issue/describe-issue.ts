import { z } from 'zod';
import { narrowIssue } from './narrow-issue.ts';
import { nearestKey } from '../text/nearest-key.ts';
import { pathText, describeValue } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** A strict object whose refusal of an unknown key names the known ones. */
export const strict = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys, Object.keys(shape)) : undefined),
  });

/** Problems that are told at most. */
const MOST = 5;

/** The problems of a message, each as `path: expected …, came …`, for people; `raw` is the message. */
export function describeIssue(error: z.ZodError, raw: unknown): string {
  const issues = error.issues.flatMap((issue) => narrowIssue(issue, valueAt(raw, issue.path)));
  const more = issues.length - MOST;
  const told = issues.slice(0, MOST).map((issue) => describe(issue, raw));
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ') || 'not understood';
}

function describe(issue: Issue, raw: unknown): string {
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const path = key === undefined ? issue.path : [...issue.path, key];
  const came = describeValue(valueAt(raw, issue.path));
  const words = key === undefined ? `expected ${expected(issue)}, came ${came}` : issue.message;
  return path.length > 0 ? `${pathText(path)}: ${words}` : words;
}

function unknownKeys(keys: readonly string[], known: string[]): string {
  const more = keys.length > 1 ? `; so are ${keys.slice(1).join(', ').slice(0, 200)}` : '';
  const nearest = keys[0] === undefined ? null : nearestKey(keys[0], known);
  const end = nearest === null ? '' : `; did you mean ${nearest}?`;
  return `the key is not known${more}; expected one of ${known.join(', ')}${end}`;
}

const TYPES: Record<string, string> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  object: 'an object like {"key": …}',
  record: 'an object like {"path": "content"}',
};

/** What the schema wanted there, in words. */
function expected(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'invalid_union':
      return [...new Set(issue.errors.flatMap(([first]) => (first ? [expected(first)] : [])))].join(' or ');
    case 'too_small':
      return sized(issue.origin, issue.inclusive ? `of at least ${issue.minimum}` : `above ${issue.minimum}`);
    case 'too_big':
      return sized(issue.origin, issue.inclusive ? `of at most ${issue.maximum}` : `below ${issue.maximum}`);
    default:
      return issue.message;
  }
}

const sized = (origin: string, size: string): string =>
  origin === 'string'
    ? `a text ${size} characters`
    : origin === 'array'
      ? `a list ${size} entries`
      : `a number ${size}`;

const valueAt = (raw: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    raw,
  );
