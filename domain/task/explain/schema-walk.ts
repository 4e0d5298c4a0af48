import type { JsonSchema } from './json-schema.ts';

/** Schemas that may apply at a key path of `value`, which has the schema `root`; several if a union is undecided. */
export function schemasAt(root: JsonSchema, path: readonly PropertyKey[], value: unknown): JsonSchema[] {
  let schemas = options(root, value);
  let here = value;
  for (const step of path) {
    here = childOf(here, step);
    schemas = schemas.flatMap((schema) => {
      const child = childSchema(schema, step);
      return child ? options(child, here) : [];
    });
  }
  return schemas;
}

/** The value at a key path; undefined if there is none. */
export function valueAt(path: readonly PropertyKey[], value: unknown): unknown {
  return path.reduce<unknown>(childOf, value);
}

/** Keys that a mapping with one of these schemas may have. */
export function keysOf(schemas: readonly JsonSchema[]): string[] {
  return [...new Set(schemas.flatMap((schema) => Object.keys(schema.properties ?? {})))];
}

/** Parents under which a schema allows a key, as paths; '' for the top level. */
export function homesOf(root: JsonSchema, key: string): string[] {
  const homes: string[] = [];
  const walk = (schema: JsonSchema, at: string): void => {
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      if (name === key) homes.push(at);
      walk(child, at === '' ? name : `${at}.${name}`);
    }
    if (schema.items) walk(schema.items, `${at}[]`);
    for (const option of schema.oneOf ?? schema.anyOf ?? []) walk(option, at);
  };
  walk(root, '');
  return [...new Set(homes)];
}

// The option of a union that the value names by a constant; all options if the value names none.
function options(schema: JsonSchema, value: unknown): JsonSchema[] {
  const all = schema.oneOf ?? schema.anyOf;
  if (!all) return [schema];
  const named = all.filter((option) =>
    Object.entries(option.properties ?? {}).some(([key, child]) => {
      const actual = childOf(value, key);
      return actual !== undefined && (child.const === actual || child.enum?.includes(actual) === true);
    }),
  );
  return named.length > 0 ? named : all;
}

function childSchema(schema: JsonSchema, step: PropertyKey): JsonSchema | undefined {
  if (typeof step === 'number') return schema.prefixItems?.[step] ?? schema.items;
  const properties = schema.properties ?? {};
  const name = String(step);
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function childOf(value: unknown, step: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as Record<PropertyKey, unknown>)[step];
}
