/** A change of one file: a part that is replaced, or the whole new content. Line ends are `\n`. */
export type Edit = { path: string; search: string; replace: string } | { path: string; content: string };
