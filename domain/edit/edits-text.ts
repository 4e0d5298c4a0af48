import type { Edit } from './edit.ts';

/** Stored edits as text: for each file, the removed and the added lines. Empty for any other value. */
export function editsText(edits: unknown): string {
  if (!Array.isArray(edits)) return '';
  return (edits as Edit[])
    .map((edit) => {
      if ('remove' in edit) return `${edit.path} (deleted)`;
      const added = 'search' in edit ? edit.replace : edit.content;
      const removed = 'search' in edit ? markLines('-', edit.search) : [];
      // The remark shows a model that its fragment became the whole file.
      const head = 'search' in edit ? edit.path : `${edit.path} (all of the file)`;
      return [head, ...removed, ...markLines('+', added)].join('\n');
    })
    .join('\n');
}

const markLines = (mark: string, text: string): string[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${mark} ${line}`);
