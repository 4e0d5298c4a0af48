import { wordsOf } from './words.ts';

/** The paths that a task lets be changed, as a model may write them. */
export interface KnownPaths {
  list: readonly string[];
  /** The path that a text is, whatever its form of Unicode, its blanks and a `./` or `/` before it; or null. */
  named(text: string): string | null;
  /** The path that a text begins with, with a bound behind it; the longest such, or null. */
  begins(text: string): string | null;
  /** The paths whose last part has all of its words among these. */
  spokenOf(words: ReadonlySet<string>): string[];
}

/** What an answer is read against: the paths that it may name, and the files as they are. */
export interface KnownFiles {
  known: KnownPaths;
  files: Readonly<Record<string, string>>;
}

/** Behind a path in a line: closing marks, then nothing, a colon, or a remark. */
const BOUND =
  /^(?:\]\(|[`*_"'”’»)\]}>】》]{0,8}(?:\s*$|\s*[:：,;]|\s*\.(?:\s|$)|\s*<\/|\s+lines?\s+\d|\s+(?:[([{#–—-]|={2}|\/\/|\/\*|<!--|→|=>|->)))/;

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
  // By the first word of each, so that a line costs no look at every path.
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
