import { format, resolveConfig } from 'prettier';

/** A page of `docs/reference/` that is generated, laid out as prettier does. */
export async function page(path: string, { title, from, body }: { title: string; from: string; body: string }) {
  const text = `# ${title}\n\nGenerated from \`${from}\` by \`npm run reference\`. Change it there.\n\n${body}\n`;
  const options = await resolveConfig('.prettierrc');
  return format(text, { ...options, filepath: path, proseWrap: 'always' });
}

/** A table of Markdown; a cell's bars and line ends are made harmless. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return lines.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const cell = (text: string): string => text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
