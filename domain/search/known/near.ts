import { distance } from 'fastest-levenshtein';

type Files = Readonly<Record<string, string>>;

/** Most characters of a change that is compared, so that a comparison takes about 5 ms at most. */
const LARGEST = 8000;

/**
 * The lines that a candidate adds to its parent (`+`) and removes from it (`-`), by path, in their order. Lines that
 * moved within a file do not count.
 */
export function changeText(parent: Files, candidate: Files): string {
  const lines: string[] = [];
  for (const path of [...new Set([...Object.keys(parent), ...Object.keys(candidate)])].sort()) {
    if (parent[path] === candidate[path]) continue;
    const [before, after] = [parent, candidate].map((files) => files[path]?.split('\n') ?? []);
    lines.push(path, ...without(before ?? [], after ?? [], '-'), ...without(after ?? [], before ?? [], '+'));
  }
  return lines.join('\n');
}

/** Lines that a text has more often than another one. */
function without(lines: readonly string[], others: readonly string[], sign: '+' | '-'): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.flatMap((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0 ? [] : [`${sign}${line}`];
  });
}

/**
 * Similarity of two changes, from 0 to 1: 1 − d/m, with d the Levenshtein distance of their texts in UTF-16 units and
 * m the length of the longer one. 1 for two empty texts. Null if it is below `least`, or if a text is too long.
 */
export function similarity(one: string, other: string, least: number): number | null {
  const longest = Math.max(one.length, other.length);
  if (longest === 0) return 1;
  // The distance is at least the difference of the lengths.
  if (longest > LARGEST || 1 - Math.abs(one.length - other.length) / longest < least) return null;
  const similar = 1 - distance(one, other) / longest;
  return similar >= least ? similar : null;
}
