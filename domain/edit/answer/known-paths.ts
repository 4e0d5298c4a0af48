import { wordsOf } from './words.ts';

/** Paths of a task's mutable files, in the forms in which a model may write them. */
export interface KnownPaths {
  list: readonly string[];
  /** The path that a text is, in any Unicode form, with any blanks, with or without `./` or `/` before it; or null. */
  named(text: string): string | null;
  /** The longest path that a text begins with, if the path ends at a bound; or null. */
  begins(text: string): string | null;
  /** The paths whose file name has all of its words among these. */
  spokenOf(words: ReadonlySet<string>): string[];
}

/** Files that an answer may change: the paths that it may name, and the files as they are. */
export interface KnownFiles {
  known: KnownPaths;
  files: Readonly<Record<string, string>>;
}

/** Paths that an answer may name. `deletes`: a line `DELETE path` is an edit. */
export interface AnswerPaths {
  paths: readonly string[];
  deletes: boolean;
}

/** The files without inherited keys: an answer may name `constructor`. */
export const withoutPrototype = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.assign(Object.create(null) as Record<string, string>, files);

const CLOSING_MARKS = '[`*_"\'”’»)\\]}>】》]{0,8}';
const AFTER_MARKS = [
  String.raw`\s*$`,
  String.raw`\s*[:：,;]`,
  String.raw`\s*\.(?:\s|$)`,
  String.raw`\s*<\/`,
  String.raw`\s+lines?\s+\d`,
  String.raw`\s+(?:[([{#–—-]|={2}|\/\/|\/\*|<!--|→|=>|->)`,
];
/** Bound behind a path in a line: closing marks, then the line's end, a colon, or a remark. */
const BOUND = new RegExp(String.raw`^(?:\]\(|${CLOSING_MARKS}(?:${AFTER_MARKS.join('|')}))`);

export function knownPaths(paths: readonly string[]): KnownPaths {
  const byForm = new Map(paths.map((path) => [formOf(path), path]));
  const exact = new Set(paths);
  const lengths = [...new Set([...byForm.keys()].map((form) => form.length))].sort((a, b) => b - a);
  const named = (text: string): string | null => {
    if (exact.has(text)) return text;
    const form = formOf(text);
    return byForm.get(form) ?? byForm.get(form.replace(/^(?:\.?\/)+/, '')) ?? null;
  };
  const begins = (text: string): string | null => {
    const form = formOf(text).replace(/^(?:\.?\/)+/, '');
    for (const length of lengths) {
      const path = byForm.get(form.slice(0, length));
      if (path !== undefined && (form.length === length || BOUND.test(form.slice(length, length + 40)))) return path;
    }
    return null;
  };
  // An index by the first word of each file name, so that a line is not compared with every path.
  const byWord = new Map<string, { path: string; parts: string[] }[]>();
  for (const path of paths) {
    const parts = [...wordsOf(path.slice(path.lastIndexOf('/') + 1))];
    const alike = byWord.get(parts[0] ?? '') ?? [];
    alike.push({ path, parts });
    byWord.set(parts[0] ?? '', alike);
  }
  const spokenOf = (words: ReadonlySet<string>): string[] =>
    [...words].flatMap((word) =>
      (byWord.get(word) ?? []).filter(({ parts }) => parts.every((part) => words.has(part))).map(({ path }) => path),
    );
  return { list: paths, named, begins, spokenOf };
}

const formOf = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim();
