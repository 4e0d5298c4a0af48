import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../config/paths.ts';

export const readDoc = (path: string): Promise<string> => readFile(join(packageRoot(), path), 'utf8');

/** Cells of all rows of all tables, with the head of each table and without its rule. */
export function rowsOf(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s|:-]+\|$/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** The text of a cell that is nothing but code; undefined for words. */
export const codeOf = (cell: string | undefined): string | undefined => /^`([^`]+)`$/.exec(cell ?? '')?.[1];

/** The content of each fenced block of a language. */
export function blocksOf(markdown: string, language: string): string[] {
  const blocks = markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map((match) => match[1] ?? '');
}

/** The number of words of a text, as `wc -w` counts them. */
export const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;
