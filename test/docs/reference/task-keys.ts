import { type JsonSchema, taskJsonSchema } from '../../../domain/task/explain/json-schema.ts';

export interface TaskKey {
  /** Its path; `[]` stands for each item of a list. */
  key: string;
  required: boolean;
  schema: JsonSchema & { default?: unknown };
}

/** Every key that a person may write, at whatever depth; those of a mapping with free names are the mapping's own. */
export const taskKeys = (): TaskKey[] => keysOf(taskJsonSchema());

function keysOf(schema: JsonSchema, at = ''): TaskKey[] {
  if (schema.oneOf) return schema.oneOf.flatMap((one) => keysOf(one, at));
  if (schema.items) return keysOf(schema.items, `${at}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const key = at === '' ? name : `${at}.${name}`;
    const own = { key, required: schema.required?.includes(name) === true, schema: inner };
    const deeper = keysOf(inner, key);
    return (inner.properties ?? inner.oneOf) ? deeper : [own, ...deeper];
  });
}
