import { diffWordsWithSpace } from 'diff';

/** A part of a line, changed or unchanged. */
export interface Part {
  text: string;
  changed: boolean;
}

/** Limit of characters of a line that is compared word by word. */
const COMPARED = 1000;

/** Splits an old line and its new version into changed and unchanged parts; null if either is too long to compare. */
export function diffWords(before: string, after: string): { before: Part[]; after: Part[] } | null {
  if (before.length > COMPARED || after.length > COMPARED) return null;
  const parts: { before: Part[]; after: Part[] } = { before: [], after: [] };
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    if (!added) push(parts.before, { text: value, changed: removed });
    if (!removed) push(parts.after, { text: value, changed: added });
  }
  return parts;
}

function push(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last && last.changed === part.changed) last.text += part.text;
  else parts.push(part);
}
