import type { Edit } from './edit.ts';

/** Stored edits as a reader sees them: per file, what went out and what came in. Empty for anything else. */
export function editsText(edits: unknown): string {
  if (!Array.isArray(edits)) return '';
  return (edits as Edit[])
    .map((edit) => {
      const came = 'search' in edit ? edit.replace : edit.content;
      // A fragment that was given as a whole file is seen for what it became.
      const head = 'search' in edit ? edit.path : `${edit.path} (all of the file)`;
      return [head, ...('search' in edit ? marked('-', edit.search) : []), ...marked('+', came)].join('\n');
    })
    .join('\n');
}

const marked = (mark: string, text: string): string[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${mark} ${line}`);
