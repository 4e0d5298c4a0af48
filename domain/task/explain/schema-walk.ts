import { constantsOf } from './describe-schema.ts';
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

/** Like `schemasAt`, but a union at the path itself stays one schema, with its description, example and hint. */
export function unionsAt(root: JsonSchema, path: readonly PropertyKey[], value: unknown): JsonSchema[] {
  const last = path.at(-1);
  if (last === undefined) return [root];
  return schemasAt(root, path.slice(0, -1), value).flatMap((schema) => childSchema(schema, last) ?? []);
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
export interface Homes {
  /** All parents. */
  all: string[];
  /** Parents outside the options of unions, such as the settings of methods; all, if each is in an option. */
  usual: string[];
}

/** Finds the parents of a key. */
export function homesOf(root: JsonSchema, key: string): Homes {
  const homes = new Map<string, { isOption: boolean }>();
  const walk = (schema: JsonSchema, at: string, isOption: boolean): void => {
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      if (name === key) homes.set(at, { isOption });
      walk(child, at === '' ? name : `${at}.${name}`, isOption);
    }
    if (schema.items) walk(schema.items, `${at}[]`, isOption);
    for (const option of schema.oneOf ?? schema.anyOf ?? []) walk(option, at, true);
  };
  walk(root, '', false);
  const all = [...homes.keys()];
  const usual = all.filter((home) => homes.get(home)?.isOption === false);
  return { all, usual: usual.length > 0 ? usual : all };
}

/** A mapping that chose an option of a union, such as `type: none`, without a key that other options have. */
export interface OtherVariants {
  /** Key that names the option. */
  by: string;
  chosen: string;
  /** Values of `by` in the options that have the key. */
  others: string[];
}

/** Options of the union at `path` that have `key`, unlike the chosen option; null if there are none. */
export function otherVariants(
  root: JsonSchema,
  path: readonly PropertyKey[],
  { key, value }: { key: string; value: unknown },
): OtherVariants | null {
  const unions = unionsAt(root, path, value).flatMap(({ oneOf, anyOf }) => oneOf ?? anyOf ?? []);
  const mappings = unions.flatMap(({ properties }) => (properties ? [properties] : []));
  const valuesOf = (properties: Properties, name: string) => constantsOf(properties[name] ?? {});
  const by = Object.keys(mappings[0] ?? {}).find((name) => mappings.every((each) => valuesOf(each, name) !== null));
  if (by === undefined) return null;
  const chosen = valueAt([...path, by], value);
  const others = mappings
    .filter((each) => Object.hasOwn(each, key))
    .flatMap((each) => valuesOf(each, by) ?? [])
    .filter((name) => typeof name === 'string');
  if (typeof chosen !== 'string' || others.length === 0 || others.includes(chosen)) return null;
  return { by, chosen, others };
}

type Properties = NonNullable<JsonSchema['properties']>;

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
