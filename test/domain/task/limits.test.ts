import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { type JsonSchema, taskJsonSchema } from '../../../domain/task/explain/json-schema.ts';

/** The paths of all numbers in a schema, each with its maximum; undefined if it has none. */
function numbersOf(schema: JsonSchema, at = ''): [path: string, most: number | undefined][] {
  const inner = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
      numbersOf(child, at === '' ? name : `${at}.${name}`),
    ),
    ...[schema.items, ...(schema.prefixItems ?? [])].flatMap((child) => (child ? numbersOf(child, `${at}[]`) : [])),
    ...[...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap((child) => numbersOf(child, at)),
    ...(typeof schema.additionalProperties === 'object' ? numbersOf(schema.additionalProperties, `${at}.*`) : []),
  ];
  const isNumber = schema.type === 'number' || schema.type === 'integer';
  return isNumber ? [[at, schema.maximum ?? schema.exclusiveMaximum], ...inner] : inner;
}

/** True for a real limit. A whole number without one has the largest safe integer as its maximum. */
const isBound = (most: number | undefined): boolean => most !== undefined && most !== Number.MAX_SAFE_INTEGER;
const unbound = (numbers: [string, number | undefined][]): string[] => [
  ...new Set(numbers.flatMap(([path, most]) => (isBound(most) ? [] : [path]))),
];

describe('each number', () => {
  test('of a task has a limit, except measured or compared values and settings of a search', () => {
    const free = unbound(numbersOf(taskJsonSchema())).filter((path) => !path.startsWith('search.'));
    expect(free).toEqual([
      'metric.min',
      'metric.max',
      'metric.minDelta',
      'metric.optimum',
      'metric.known[].value',
      'progress.divergeFactor',
      'secondary[].min',
      'secondary[].max',
      'knobs[].range[]',
      'references[].value',
      'references[].baseline',
    ]);
  });

  test('of a fleet has a limit', () => {
    expect(unbound(numbersOf(z.toJSONSchema(Fleet, { io: 'input' }) as JsonSchema))).toEqual([]);
  });
});
