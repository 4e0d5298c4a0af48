import type { JsonSchema } from './json-schema.ts';

/** Describes the values that a key of a task accepts, such as "a whole number at least 1 and at most 1000 or auto". */
export function describeSchemas(schemas: readonly JsonSchema[]): string {
  const single = schemas.map(constantsOf);
  if (single.every((values) => values !== null)) {
    const values = [...new Set(single.flat())].map(String);
    return choiceOf(values);
  }
  const mappings = schemas.filter(({ properties }) => properties !== undefined);
  const texts = schemas.filter(({ properties }) => properties === undefined).map(describe);
  if (mappings.length > 0) texts.push(describeMappings(mappings));
  return [...new Set(texts)].join(' or ');
}

/** Describes fixed values; a direction with its meaning. */
function choiceOf(values: readonly string[]): string {
  if (values.join() === 'minimize,maximize') return 'minimize (lower is better) or maximize (higher is better)';
  return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
}

/** Fixed texts that a key accepts, for a suggestion of the nearest one. */
export function constantTexts(schemas: readonly JsonSchema[]): string[] {
  return schemas.flatMap((schema) => constantsOf(schema) ?? []).filter((value) => typeof value === 'string');
}

/** Fixed values of a schema; null if it has none. */
export function constantsOf(schema: JsonSchema): unknown[] | null {
  if (schema.const !== undefined) return [schema.const];
  return schema.enum ?? null;
}

function describe(schema: JsonSchema): string {
  const constants = constantsOf(schema);
  if (constants) return choiceOf(constants.map(String));
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
      return schema.properties ? describeMappings([schema]) : `a mapping of names to ${mappingValues(schema)}`;
    default:
      return 'a value';
  }
}

/** Describes a mapping by its required keys and its optional ones; several by the keys that all of them require. */
function describeMappings(mappings: readonly JsonSchema[]): string {
  const [first = {}, ...more] = mappings;
  const { properties = {}, required = [] } = first;
  if (more.length > 0) {
    const shared = required.filter((key) => more.every((other) => other.required?.includes(key)));
    return shared.length === 0 ? 'a mapping' : `a mapping with ${shared.join(', ')}`;
  }
  const optional = Object.keys(properties).filter((key) => !required.includes(key));
  if (required.length === 0) return `a mapping with any of ${optional.join(', ')}`;
  const needed = `a mapping with ${required.join(', ')}`;
  return optional.length === 0 ? needed : `${needed}, and optionally ${optional.join(', ')}`;
}

/** Describes the values of a mapping with arbitrary keys. */
function mappingValues({ additionalProperties: values }: JsonSchema): string {
  if (typeof values !== 'object') return 'texts';
  if (values.properties) return 'mappings';
  return Object.keys(values).length === 0 ? 'values' : 'texts';
}

function rangeOf({ minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below }: JsonSchema): string {
  const low = above ?? minimum;
  // zod writes the largest safe integer as the maximum of every whole number.
  const high = below ?? (maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum);
  const bounds: string[] = [];
  if (low !== undefined && low !== Number.MIN_SAFE_INTEGER)
    bounds.push(above === undefined ? `at least ${low}` : `above ${low}`);
  if (high !== undefined) bounds.push(below === undefined ? `at most ${high}` : `below ${high}`);
  return bounds.length === 0 ? '' : ` ${bounds.join(' and ')}`;
}

function listOf({ items, prefixItems, minItems = 0 }: JsonSchema): string {
  if (prefixItems) return `a list of ${prefixItems.length}: ${prefixItems.map(describe).join(', ')}`;
  const entries = namesOf(items ?? {});
  return minItems > 0 ? `a list of at least ${minItems} ${entries}` : `a list of ${entries}`;
}

function namesOf(items: JsonSchema): string {
  const constants = constantsOf(items);
  if (constants) return constants.join(', ');
  if (items.type === 'object' || items.oneOf) return 'mappings';
  return items.type === 'string' ? 'texts' : 'values';
}
