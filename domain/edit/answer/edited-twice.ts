import type { Edit } from '../edit.ts';

/** First path with a whole file and a different edit; null if there is none. */
export function editedTwice(edits: readonly Edit[]): string | null {
  const first = new Map<string, Edit>();
  for (const edit of edits) {
    const before = first.get(edit.path);
    if (before === undefined) first.set(edit.path, edit);
    else if ('content' in before !== 'content' in edit) return edit.path;
    else if ('content' in before && 'content' in edit && before.content !== edit.content) return edit.path;
  }
  return null;
}
