import type { DiffLine } from './lines.ts';

/** A removed line and the added one that it became, by their places in the hunk. */
export type Pair = readonly [removed: number, added: number];

/** Lines less alike are two different lines: marks within them would be noise. */
const ALIKE = 0.4;
/** Comparisons of one block; a longer one is paired line by line. */
const COMPARED = 1600;

/** Which removed lines became which added ones: within each block of removals with additions behind it, in order. */
export function pairsOf(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at]?.kind !== 'removed') continue;
    const middle = endOf(lines, at, 'removed');
    const end = endOf(lines, middle, 'added');
    const removed = placesOf(lines, [at, middle], 'removed');
    pairs.push(...align(lines, removed, placesOf(lines, [middle, end], 'added')));
    at = end - 1;
  }
  return pairs;
}

function endOf(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let end = from;
  while (lines[end]?.kind === kind || (end > from && lines[end]?.kind === 'note')) end += 1;
  return end;
}

const placesOf = (lines: readonly DiffLine[], [from, to]: [number, number], kind: DiffLine['kind']): number[] =>
  Array.from({ length: to - from }, (_, step) => from + step).filter((place) => lines[place]?.kind === kind);

/** The pairs in order whose likeness is greatest in all. */
function align(lines: readonly DiffLine[], removed: readonly number[], added: readonly number[]): Pair[] {
  const words = new Map([...removed, ...added].map((place) => [place, wordsIn(lines[place]?.text ?? '')]));
  const likeness = (one: number, other: number): number => {
    const share = alike(words.get(one) ?? [], words.get(other) ?? []);
    return share >= ALIKE ? share : 0;
  };
  if (removed.length * added.length > COMPARED)
    return removed.flatMap((one, index) => {
      const other = added[index];
      return other !== undefined && likeness(one, other) > 0 ? [[one, other] as const] : [];
    });
  return bestPairs(removed, added, likeness);
}

function bestPairs(
  removed: readonly number[],
  added: readonly number[],
  likeness: (one: number, other: number) => number,
): Pair[] {
  // best[i][j]: the greatest sum of likeness of removed from i on with added from j on.
  const best = Array.from({ length: removed.length + 1 }, () => new Float64Array(added.length + 1));
  const of = (i: number, j: number): number => best[i]?.[j] ?? 0;
  const pairUp = (i: number, j: number): number => {
    const share = likeness(removed[i] ?? -1, added[j] ?? -1);
    return share === 0 ? -1 : share + of(i + 1, j + 1);
  };
  for (let i = removed.length - 1; i >= 0; i -= 1)
    for (let j = added.length - 1; j >= 0; j -= 1)
      (best[i] as Float64Array)[j] = Math.max(of(i + 1, j), of(i, j + 1), pairUp(i, j));
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < removed.length && j < added.length;) {
    if (pairUp(i, j) === of(i, j) && of(i, j) > 0) pairs.push([removed[i++] ?? -1, added[j++] ?? -1]);
    else if (of(i + 1, j) >= of(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** Text that is compared: an endless line says no more. */
const READ = 1000;

const wordsIn = (text: string): string[] => text.slice(0, READ).match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** The share of words that two lines have in common, 0 to 1; lines without a word are not alike. */
function alike(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return 0;
  const left = new Map<string, number>();
  for (const word of one) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of other) {
    const count = left.get(word) ?? 0;
    if (count > 0) common += 1;
    left.set(word, count - 1);
  }
  return (2 * common) / (one.length + other.length);
}
