import { taskJsonSchema } from '../../domain/task/explain/json-schema.ts';

/** The text of `tasks/task.schema.json`, which editors read, in prettier's layout. */
export function taskJsonSchemaText(): string {
  const text = JSON.stringify({ title: 'Perpetua task', ...taskJsonSchema() }, withDefaultInWords, 2);
  return `${text.replace(/^ *(?:"\w+": )?\[\n[^[\]{}]*?\n *\],?$/gm, onOneLine)}\n`;
}

/** Adds the default to the description, since editors show only the description. */
function withDefaultInWords(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('otherwise' in value)) return value;
  const { otherwise, description, ...schema } = value as Record<string, unknown>;
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
