/**
 * A change of one file: a part that is replaced, the whole new content, or its removal. Line ends are `\n`. A part with
 * a `line` (from 1; 0 if none was stated) came from a diff: it consists of whole lines, and `line` selects one of
 * several occurrences. Content for a path without a file, or a part with an empty `search`, makes a new file.
 */
export type Edit = ReplacedPart | WholeFile | RemovedFile;

export interface ReplacedPart {
  path: string;
  search: string;
  replace: string;
  line?: number;
}

export interface WholeFile {
  path: string;
  content: string;
}

export interface RemovedFile {
  path: string;
  remove: true;
}
