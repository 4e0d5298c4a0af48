import { taskJsonSchema } from '../../domain/task/words/json-schema.ts';

/** The text of `tasks/task.schema.json`, which editors read; laid out as prettier does. */
export function taskJsonSchemaText(): string {
  const text = JSON.stringify({ title: 'Perpetua task', ...taskJsonSchema() }, null, 2);
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
