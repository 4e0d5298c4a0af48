import { format, resolveConfig } from 'prettier';

/** Text of a generated page of `docs/reference/`, formatted by prettier. */
export async function page(path: string, { title, from, body }: { title: string; from: string; body: string }) {
  const text = `# ${title}\n\nGenerated from \`${from}\` by \`npm run reference\`. Change it there.\n\n${body}\n`;
  const options = await resolveConfig('.prettierrc');
  return format(text, { ...options, filepath: path, proseWrap: 'always' });
}

/** A table of Markdown. Bars in cells are escaped, and line ends become spaces. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return lines.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const cell = (text: string): string => text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
