import { z } from 'zod';
import { narrowIssue } from './narrow-issue.ts';
import { nearestKey } from '../text/nearest-key.ts';
import { pathText, describeValue } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** A strict object schema. Its error for an unknown key lists the known keys. */
export const strict = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys, Object.keys(shape)) : undefined),
  });

/** Largest number of problems in one description. */
const MOST_PROBLEMS = 5;

/**
 * Describes a message's problems for people, each as `path: expected …, got …`. `raw` is the message as received;
 * `example` is an object that the schema accepts.
 */
export function describeIssue(error: z.ZodError, raw: unknown, example = '{"key": …}'): string {
  const issues = error.issues.flatMap((issue) => narrowIssue(issue, valueAt(raw, issue.path)));
  const more = issues.length - MOST_PROBLEMS;
  const descriptions = issues.slice(0, MOST_PROBLEMS).map((issue) => describe(issue, raw, example));
  if (more > 0) descriptions.push(`and ${more} more`);
  return descriptions.join('; ') || 'not understood';
}

function describe(issue: Issue, raw: unknown, example: string): string {
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const path = key === undefined ? issue.path : [...issue.path, key];
  const got = describeValue(valueAt(raw, issue.path));
  const problem = key === undefined ? `expected ${expected(issue, example)}, got ${got}` : issue.message;
  return path.length > 0 ? `${pathText(path)}: ${problem}` : problem;
}

function unknownKeys(keys: readonly string[], known: string[]): string {
  const more = keys.length > 1 ? ` (nor are ${keys.slice(1).join(', ').slice(0, 200)})` : '';
  const nearest = keys[0] === undefined ? null : nearestKey(keys[0], known);
  const end = nearest === null ? '' : `; did you mean ${nearest}?`;
  return `the key is not known${more}; expected one of ${known.join(', ')}${end}`;
}

const TYPES: Record<string, string> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  record: 'an object such as {"path": "content"}',
};

/** Describes the values that the schema accepts at an issue's path. */
function expected(issue: Issue, example: string): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'object') return `an object such as ${example}`;
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'invalid_union':
      return [...new Set(issue.errors.flatMap(([first]) => (first ? [expected(first, example)] : [])))].join(' or ');
    case 'too_small':
      return sized(issue.origin, issue.inclusive ? `of at least ${issue.minimum}` : `above ${issue.minimum}`);
    case 'too_big':
      return sized(issue.origin, issue.inclusive ? `of at most ${issue.maximum}` : `below ${issue.maximum}`);
    default:
      return issue.message;
  }
}

function sized(origin: string, size: string): string {
  if (origin === 'string') return `a text ${size} characters`;
  return origin === 'array' ? `a list ${size} entries` : `a number ${size}`;
}

const valueAt = (raw: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    raw,
  );
