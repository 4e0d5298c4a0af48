import type { JsonSchema } from './json-schema.ts';

/** The schemas that may hold at a key path of `value`, a file of the schema `root`: several where a union is open. */
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

/** The value at a key path, undefined where there is none. */
export function valueAt(path: readonly PropertyKey[], value: unknown): unknown {
  return path.reduce<unknown>(childOf, value);
}

/** The keys that may stand at a place. */
export function keysOf(schemas: readonly JsonSchema[]): string[] {
  return [...new Set(schemas.flatMap((schema) => Object.keys(schema.properties ?? {})))];
}

/** Every place of a file where a key may stand, as paths of its parent. */
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

// Of a union told apart by a constant, only the option that the value names; all of them where it names none.
function options(schema: JsonSchema, value: unknown): JsonSchema[] {
  const all = schema.oneOf ?? schema.anyOf;
  if (!all) return [schema];
  const named = all.filter((option) =>
    Object.entries(option.properties ?? {}).some(([key, child]) => {
      const own = childOf(value, key);
      return own !== undefined && (child.const === own || child.enum?.includes(own) === true);
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
