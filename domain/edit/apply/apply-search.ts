import { columnsOf } from '../answer/indent.ts';
import { findMatches } from './find-matches.ts';
import { readLines, spliceLines, withLineFeeds, type Splice } from './line-ends.ts';

type Replacement = { path: string; search: string; replace: string; line?: number };
type Refused = { reason: string };

/**
 * Returns the text with `search` replaced. The search text must occur exactly once: as whole lines, else as a part of a
 * line that begins and ends between words (see `Edit` for `line`). Line ends match as line feeds and stay as they are.
 */
export function applySearch(text: string, edit: Replacement): string | Refused {
  const lines = readLines(text);
  const normalised = { ...edit, search: withLineFeeds(edit.search), replace: withLineFeeds(edit.replace) };
  const found = findSplice(lines.text, normalised);
  return 'reason' in found ? found : spliceLines(lines, found);
}

function findSplice(text: string, edit: Replacement): Splice | Refused {
  const { path, search, replace, line } = edit;
  if (search.trim() === '')
    return text.trim() === ''
      ? { from: 0, to: text.length, put: `${replace}\n` }
      : {
          reason:
            `the SEARCH text for ${path} is empty; ` +
            'expected lines of the file, or the whole file in a fenced block',
        };
  // Whole lines come first, so that `x = 1` is not found in `x = 10`.
  const { lines, words, parts } = findMatches(text, search);
  if (lines.count === 1) return wholeLines(text, lines.first, edit);
  if (lines.count > 1) {
    const stated = line ? wholeLinesAt(text, search, startOf(text, line)) : null;
    return stated === null ? tooOften(path, lines.count) : wholeLines(text, stated, edit);
  }
  if (line !== undefined) return missing(text, edit);
  if (words.count === 1) return partOfLine(text, words.first, edit);
  if (words.count > 1) return tooOften(path, words.count);
  if (parts.count > 0) return withinWord(text, parts.first, path);
  return missing(text, edit);
}

/**
 * Replaces a part of a line. If only white space precedes the part and the replacement has several lines, each line
 * gets that white space. Rejected if the lines may already have it.
 */
function partOfLine(
  text: string,
  at: number,
  { path, search, replace }: { path: string; search: string; replace: string },
): Splice | { reason: string } {
  const splice = { from: at, to: at + search.length, put: replace };
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const [first = '', ...later] = replace.split('\n');
  if (before === '' || before.trim() !== '' || later.length === 0) return splice;
  const has = (line: string): boolean => line.trim() === '' || line.startsWith(before);
  // Further lines of the search text show the intended indent of the new lines.
  const [, ...searched] = search.split('\n');
  const further = depthOf(searched) > depthOf(later);
  if (searched.length > 0 && !further && (later.every(has) || !searched.every(has))) return splice;
  if (searched.length > 0 || further || later.every(has))
    return {
      reason:
        `the SEARCH text for ${path} begins after the ${before.length} blanks of its line, so that the indent of the ` +
        'REPLACE text is ambiguous; copy whole lines, with their white space',
    };
  return { ...splice, put: [first, ...later.map((line) => (line.trim() === '' ? line : before + line))].join('\n') };
}

/** Smallest indent of the non-blank lines, in columns; 0 without lines. */
function depthOf(lines: readonly string[]): number {
  const depths = lines.filter((line) => line.trim() !== '').map(columnsOf);
  return depths.length === 0 ? 0 : depths.reduce((least, depth) => Math.min(least, depth));
}

const MOST_LINES = 20_000;
const LONGEST = 200;

/** Explains why a search text does not match: its first missing line, and the most similar line of the file. */
function nearestLine(text: string, search: string): string {
  const lines = text.split('\n').slice(0, MOST_LINES);
  const known = new Set(lines);
  const missing = search.split('\n').find((line) => line.trim() !== '' && !known.has(line));
  if (missing === undefined) return 'each of its lines is in the file, but not in this order; copy them as they stand';
  const bare = squeezed(missing);
  const spaced = lines.findIndex((line) => squeezed(line) === bare);
  if (spaced >= 0)
    return `line ${spaced + 1} of the file differs from ${quoted(missing)} only in white space; copy it exactly`;
  const wanted = pairsOf(missing);
  let best = { score: 0, at: -1 };
  lines.forEach((line, at) => {
    const score = likeness(wanted, line);
    if (score > best.score) best = { score, at };
  });
  const none = `no line of the file is ${quoted(missing)}`;
  return best.at < 0 ? none : `${none}; the nearest is line ${best.at + 1}: ${quoted(lines[best.at] ?? '')}`;
}

const squeezed = (line: string): string => line.replace(/\s+/g, '');
const quoted = (line: string): string => JSON.stringify(line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);

function pairsOf(line: string): Set<string> {
  const text = line.trim().slice(0, LONGEST);
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2)));
}

/** Dice's coefficient over pairs of characters: cheap, and independent of the difference's position in the line. */
function likeness(wanted: ReadonlySet<string>, line: string): number {
  const pairs = pairsOf(line);
  if (pairs.size + wanted.size === 0) return 0;
  let shared = 0;
  for (const pair of pairs) if (wanted.has(pair)) shared += 1;
  return (2 * shared) / (pairs.size + wanted.size);
}

const missing = (text: string, { path, search }: Replacement): Refused => ({
  reason: `the SEARCH text for ${path} matches 0 times, expected once; ${nearestLine(text, search)}`,
});

/** Replaces whole lines; without a replacement it removes the lines with their ends. */
function wholeLines(text: string, at: number, { search, replace }: Replacement): Splice {
  const to = at + search.length;
  if (replace !== '') return { from: at, to, put: replace };
  if (to < text.length) return { from: at, to: to + 1, put: '' };
  return { from: Math.max(0, at - 1), to, put: '' };
}

/** Position at which a line (from 1) begins; -1 for a line past the end. */
function startOf(text: string, line: number): number {
  let at = 0;
  for (let i = 1; i < line && at >= 0; i += 1) at = text.indexOf('\n', at) + 1 || -1;
  return at;
}

function wholeLinesAt(text: string, search: string, at: number): number | null {
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
    reason:
      `the SEARCH text for ${path} matches 0 times, expected once; ` +
      `it stands only within a longer number or name, in line ${line}: ${shown}; copy whole lines`,
  };
}
