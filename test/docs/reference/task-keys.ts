import { type JsonSchema, taskJsonSchema } from '../../../domain/task/explain/json-schema.ts';

export interface TaskKey {
  /** Path of the key; `[]` stands for each item of a list. */
  key: string;
  required: boolean;
  schema: JsonSchema & { default?: unknown };
}

/** All keys of a task, at any depth. A mapping with free names is one key. */
export const taskKeys = (): TaskKey[] => keysOf(taskJsonSchema());

function keysOf(schema: JsonSchema, path = ''): TaskKey[] {
  if (schema.oneOf) return schema.oneOf.flatMap((option) => keysOf(option, path));
  if (schema.items) return keysOf(schema.items, `${path}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const key = path === '' ? name : `${path}.${name}`;
    const own = { key, required: schema.required?.includes(name) === true, schema: inner };
    const deeper = keysOf(inner, key);
    return (inner.properties ?? inner.oneOf) ? deeper : [own, ...deeper];
  });
}
