import { findAll } from './find-all.ts';
import { readLines, spliceLines, withLineFeeds, type Splice } from './line-ends.ts';
import { nearestLine } from './nearest-line.ts';
import { partOfLine } from './part-of-line.ts';

type Replacement = { path: string; search: string; replace: string; line?: number };
type Refused = { reason: string };

/**
 * The text with `search` replaced, which must occur exactly once: as whole lines, or else as part of a line from word to word
 * (see `Edit` for `line`). Line ends are matched as line feeds and stay what they are.
 */
export function applySearch(text: string, edit: Replacement): string | Refused {
  const lines = readLines(text);
  const own = { ...edit, search: withLineFeeds(edit.search), replace: withLineFeeds(edit.replace) };
  const found = placeOf(lines.text, own);
  return 'reason' in found ? found : spliceLines(lines, found);
}

function placeOf(text: string, edit: Replacement): Splice | Refused {
  const { path, search, replace, line } = edit;
  if (search.trim() === '')
    return text.trim() === ''
      ? { from: 0, to: text.length, put: `${replace}\n` }
      : {
          reason: `the SEARCH text for ${path} is empty; expected lines of the file, or the whole file in a fenced block`,
        };
  // Whole lines first: `x = 1` is not found in `x = 10`.
  const { lines, words, parts } = findAll(text, search);
  if (lines.count === 1) return wholeLines(text, lines.first, edit);
  if (lines.count > 1) {
    const stated = line === undefined ? null : stands(text, search, startOf(text, line));
    return stated === null ? tooOften(path, lines.count) : wholeLines(text, stated, edit);
  }
  if (line !== undefined) return missing(text, edit);
  if (words.count === 1) return partOfLine(text, words.first, edit);
  if (words.count > 1) return tooOften(path, words.count);
  if (parts.count > 0) return withinWord(text, parts.first, path);
  return missing(text, edit);
}

const missing = (text: string, { path, search }: Replacement): Refused => ({
  reason: `the SEARCH text for ${path} matches 0 times, expected once; ${nearestLine(text, search)}`,
});

/** Without a replacement the lines go with their ends. */
function wholeLines(text: string, at: number, { search, replace }: Replacement): Splice {
  const to = at + search.length;
  if (replace !== '') return { from: at, to, put: replace };
  if (to < text.length) return { from: at, to: to + 1, put: '' };
  return { from: Math.max(0, at - 1), to, put: '' };
}

function startOf(text: string, line: number): number {
  let at = 0;
  for (let i = 1; i < line && at >= 0; i += 1) at = text.indexOf('\n', at) + 1 || -1;
  return at;
}

function stands(text: string, search: string, at: number): number | null {
  const end = at + search.length;
  return at >= 0 && text.startsWith(search, at) && (end === text.length || text[end] === '\n') ? at : null;
}

const tooOften = (path: string, count: number): Refused => ({
  reason: `the SEARCH text for ${path} matches ${count} times, expected once; add lines around it until it is unique`,
});

function withinWord(text: string, at: number, path: string): Refused {
  const line = text.slice(0, at).split('\n').length;
  const whole = text.split('\n')[line - 1] ?? '';
  const shown = JSON.stringify(whole.length > 200 ? `${whole.slice(0, 200)}…` : whole);
  return {
    reason: `the SEARCH text for ${path} matches 0 times, expected once; it stands only within a longer number or name, in line ${line}: ${shown}; copy whole lines`,
  };
}
