/**
 * A change of one file: a part that is replaced, or the whole new content. Line ends are `\n`. A part with a `line` (counted
 * from 1; 0 where none was stated) came from a diff: it is whole lines, and of several places it means the one at that line.
 */
export type Edit = { path: string; search: string; replace: string; line?: number } | { path: string; content: string };
