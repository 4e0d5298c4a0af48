/**
 * A change of one file: a part that is replaced, or the whole new content. Line ends are `\n`. A part with a `line`
 * (from 1; 0 if none was stated) came from a diff: it consists of whole lines, and `line` selects one of several
 * occurrences.
 */
export type Edit = { path: string; search: string; replace: string; line?: number } | { path: string; content: string };
