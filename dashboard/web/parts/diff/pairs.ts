import type { DiffLine } from './lines.ts';

/** A removed line and the added line that replaced it, by their indices in the hunk. */
export type Pair = readonly [removed: number, added: number];

/** Least similarity of a pair. Less similar lines are different lines, and word marks in them would be noise. */
const ALIKE = 0.4;
/** Limit of comparisons in a block. In a larger block, the lines are paired by position. */
const COMPARED = 1600;

/** Pairs removed lines with the added lines that replaced them, within each block of removals before additions. */
export function pairsOf(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at]?.kind !== 'removed') continue;
    const middle = endOf(lines, at, 'removed');
    const end = endOf(lines, middle, 'added');
    const removed = indicesOf(lines, [at, middle], 'removed');
    pairs.push(...align(lines, removed, indicesOf(lines, [middle, end], 'added')));
    at = end - 1;
  }
  return pairs;
}

/** Index after the run of lines of that kind; notes on these lines are part of the run. */
function endOf(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let end = from;
  while (lines[end]?.kind === kind || (end > from && lines[end]?.kind === 'note')) end += 1;
  return end;
}

const indicesOf = (lines: readonly DiffLine[], [from, to]: [number, number], kind: DiffLine['kind']): number[] =>
  Array.from({ length: to - from }, (_, step) => from + step).filter((index) => lines[index]?.kind === kind);

/** The pairs, in order, with the greatest total similarity. */
function align(lines: readonly DiffLine[], removed: readonly number[], added: readonly number[]): Pair[] {
  const words = new Map([...removed, ...added].map((index) => [index, wordsIn(lines[index]?.text ?? '')]));
  const score = (removedIndex: number, addedIndex: number): number => {
    const share = similarity(words.get(removedIndex) ?? [], words.get(addedIndex) ?? []);
    return share >= ALIKE ? share : 0;
  };
  if (removed.length * added.length > COMPARED)
    return removed.flatMap((removedIndex, position) => {
      const addedIndex = added[position];
      if (addedIndex === undefined || !(score(removedIndex, addedIndex) > 0)) return [];
      return [[removedIndex, addedIndex] as const];
    });
  return bestPairs(removed, added, score);
}

/** Aligns two lists by dynamic programming. A score of 0 forbids a pair. */
function bestPairs(
  removed: readonly number[],
  added: readonly number[],
  score: (removedIndex: number, addedIndex: number) => number,
): Pair[] {
  // best[i][j]: the greatest total score of pairs between removed[i…] and added[j…].
  const best = Array.from({ length: removed.length + 1 }, () => new Float64Array(added.length + 1));
  const bestFrom = (i: number, j: number): number => best[i]?.[j] ?? 0;
  const pairUp = (i: number, j: number): number => {
    const share = score(removed[i] ?? -1, added[j] ?? -1);
    return share === 0 ? -1 : share + bestFrom(i + 1, j + 1);
  };
  for (let i = removed.length - 1; i >= 0; i -= 1)
    for (let j = added.length - 1; j >= 0; j -= 1)
      (best[i] as Float64Array)[j] = Math.max(bestFrom(i + 1, j), bestFrom(i, j + 1), pairUp(i, j));
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < removed.length && j < added.length;) {
    if (pairUp(i, j) === bestFrom(i, j) && bestFrom(i, j) > 0) pairs.push([removed[i++] ?? -1, added[j++] ?? -1]);
    else if (bestFrom(i + 1, j) >= bestFrom(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** Limit of characters of a line that are compared. */
const READ = 1000;

const wordsIn = (text: string): string[] => text.slice(0, READ).match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** The share of words that two lines have in common (Dice coefficient), 0 to 1; 0 if either line has no word. */
function similarity(before: readonly string[], after: readonly string[]): number {
  if (before.length === 0 || after.length === 0) return 0;
  const unmatched = new Map<string, number>();
  for (const word of before) unmatched.set(word, (unmatched.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of after) {
    const count = unmatched.get(word) ?? 0;
    if (count > 0) common += 1;
    unmatched.set(word, count - 1);
  }
  return (2 * common) / (before.length + after.length);
}
