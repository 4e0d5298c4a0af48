import { type JsonSchema, taskJsonSchema } from '../../domain/task/words/json-schema.ts';
import { KEY_CATALOG } from '../../domain/task/words/key-catalog.ts';

/** The text of `tasks/task.schema.json`, which editors read; laid out as prettier does. */
export function taskJsonSchemaText(): string {
  const text = JSON.stringify({ title: 'Perpetua task', ...described(taskJsonSchema()) }, null, 2);
  return `${text.replace(/^ *(?:"\w+": )?\[\n[^[\]{}]*?\n *\],?$/gm, onOneLine)}\n`;
}

function onOneLine(list: string): string {
  const [before = '', ...items] = list.split('\n');
  const line =
    before +
    items
      .map((item) => item.trim())
      .join(' ')
      .replace(/ (\],?)$/, '$1');
  return line.length <= 120 ? line : list;
}

/** The schema with what a person is told of each key, which editors show. */
function described(schema: JsonSchema, at = ''): JsonSchema {
  const all = (of: JsonSchema[]): JsonSchema[] => of.map((one) => described(one, at));
  const meaning = KEY_CATALOG[at]?.meaning;
  return {
    ...schema,
    ...(meaning !== undefined && { description: meaning }),
    ...(schema.items && { items: described(schema.items, `${at}[]`) }),
    ...(schema.oneOf && { oneOf: all(schema.oneOf) }),
    ...(schema.properties && { properties: describedKeys(schema.properties, at) }),
  };
}

const describedKeys = (keys: Record<string, JsonSchema>, at: string): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(keys).map(([name, inner]) => [name, described(inner, at === '' ? name : `${at}.${name}`)]),
  );
