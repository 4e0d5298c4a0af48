import { columnsOf } from '../answer/indent.ts';
import { findMatches } from './find-matches.ts';
import { readLines, spliceLines, withLineFeeds, type Splice } from './line-ends.ts';

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
  const { lines, words, parts } = findMatches(text, search);
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

/**
 * Puts a replacement in the place of a part of a line. Where the part begins behind white space alone and several lines come
 * for it, each gets that white space; refused where it may have it already.
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
  // Lines of the file behind the first one show how far in the new ones are meant to stand.
  const [, ...searched] = search.split('\n');
  const further = depthOf(searched) > depthOf(later);
  if (searched.length > 0 && !further && (later.every(has) || !searched.every(has))) return splice;
  if (searched.length > 0 || further || later.every(has))
    return {
      reason: `the SEARCH text for ${path} begins behind the ${before.length} blanks of its line, and how far in the lines of the REPLACE text stand is unclear; copy whole lines, with their white space`,
    };
  return { ...splice, put: [first, ...later.map((line) => (line.trim() === '' ? line : before + line))].join('\n') };
}

/** The columns of white space before the line of them that stands least far in; 0 without lines. */
function depthOf(lines: readonly string[]): number {
  const depths = lines.filter((line) => line.trim() !== '').map(columnsOf);
  return depths.length === 0 ? 0 : depths.reduce((least, depth) => Math.min(least, depth));
}

const MOST_LINES = 20_000;
const LONGEST = 200;

/** Where a search text fails to be in a text: its first line that is not there and the line most like it, in words. */
function nearestLine(text: string, search: string): string {
  const lines = text.split('\n').slice(0, MOST_LINES);
  const there = new Set(lines);
  const missing = search.split('\n').find((line) => line.trim() !== '' && !there.has(line));
  if (missing === undefined) return 'each of its lines is in the file, but not in this order; copy them as they stand';
  const bare = squeezed(missing);
  const spaced = lines.findIndex((line) => squeezed(line) === bare);
  if (spaced >= 0)
    return `line ${spaced + 1} of the file is ${quoted(missing)} but for white space; copy it as it stands`;
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

// Dice's coefficient over pairs of characters: cheap, and blind to where in the line the difference is.
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
