import type { JsonSchema } from './json-schema.ts';

/** What a place of a task takes, in words: "a whole number from 1 to 1000 or auto". */
export function describeSchemas(schemas: readonly JsonSchema[]): string {
  const texts = [...new Set(schemas.map(describe))];
  const single = schemas.map(constantsOf);
  if (single.every((values) => values !== null)) {
    const values = [...new Set(single.flat())].map(String);
    return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
  }
  return texts.join(' or ');
}

/** The fixed texts that a place takes, for the nearest one. */
export function constantTexts(schemas: readonly JsonSchema[]): string[] {
  return schemas.flatMap((schema) => constantsOf(schema) ?? []).filter((value) => typeof value === 'string');
}

function constantsOf(schema: JsonSchema): unknown[] | null {
  if (schema.const !== undefined) return [schema.const];
  return schema.enum ?? null;
}

function describe(schema: JsonSchema): string {
  const constants = constantsOf(schema);
  if (constants) return constants.length === 1 ? String(constants[0]) : `one of ${constants.map(String).join(', ')}`;
  const inner = schema.oneOf ?? schema.anyOf;
  if (inner) return describeSchemas(inner);
  switch (schema.type) {
    case 'string':
      return 'a text';
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'number':
    case 'integer':
      return `a ${schema.type === 'integer' ? 'whole ' : ''}number${rangeOf(schema)}`;
    case 'array':
      return listOf(schema);
    case 'object':
      return schema.properties
        ? `a mapping with ${Object.keys(schema.properties).join(', ')}`
        : `a mapping of names to ${ofNames(schema)}`;
    default:
      return 'a value';
  }
}

/** What the values of a mapping are whose keys are names. */
function ofNames({ additionalProperties: values }: JsonSchema): string {
  return typeof values === 'object' && values.properties ? 'mappings' : 'texts';
}

function rangeOf({ minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below }: JsonSchema): string {
  const low = above ?? minimum;
  // zod writes the largest safe integer as the maximum of every whole number.
  const high = below ?? (maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum);
  const lowText =
    low === undefined || low === Number.MIN_SAFE_INTEGER
      ? ''
      : above === undefined
        ? `at least ${low}`
        : `above ${low}`;
  const highText = high === undefined ? '' : below === undefined ? `at most ${high}` : `below ${high}`;
  return [lowText, highText]
    .filter((text) => text !== '')
    .reduce((text, part) => `${text}${text === '' ? ' ' : ' and '}${part}`, '');
}

function listOf({ items, prefixItems, minItems = 0 }: JsonSchema): string {
  if (prefixItems) return `a list of ${prefixItems.length}: ${prefixItems.map(describe).join(', ')}`;
  const what = namesOf(items ?? {});
  return minItems > 0 ? `a list of at least ${minItems} ${what}` : `a list of ${what}`;
}

function namesOf(items: JsonSchema): string {
  const constants = constantsOf(items);
  if (constants) return constants.join(', ');
  if (items.type === 'object' || items.oneOf) return 'mappings';
  return items.type === 'string' ? 'texts' : 'values';
}
