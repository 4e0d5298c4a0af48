import { taskJsonSchema } from '../../domain/task/explain/json-schema.ts';

/** The text of `tasks/task.schema.json`, which editors read, in prettier's layout. */
export function taskJsonSchemaText(): string {
  const text = JSON.stringify({ title: 'Perpetua task', ...taskJsonSchema() }, withDefaultInWords, 2);
  return `${text.replace(/^ *(?:"\w+": )?\[\n[^[\]{}]*?\n *\],?$/gm, onOneLine)}\n`;
}

/**
 * Adds the default to the description, since editors show only the description. Removes the keys that only messages
 * use.
 */
function withDefaultInWords(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { example, hint, ...shown } = value as Record<string, unknown>;
  void example;
  void hint;
  if (!('otherwise' in shown)) return shown;
  const { otherwise, description, ...schema } = shown;
  return { description: `${String(description)}; default: ${String(otherwise)}`, ...schema };
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
