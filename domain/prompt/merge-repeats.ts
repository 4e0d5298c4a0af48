import type { HistoryEntry } from './prompt-input.ts';

/** An idea, and the later trials that proposed it again. */
export interface Idea {
  first: HistoryEntry;
  again: HistoryEntry[];
}

/**
 * Trials by idea, oldest first. Two are one idea where they have the same candidate or the same diff. A trial that ran comes
 * before its copies, whatever their numbers.
 */
export function mergeRepeats(history: readonly HistoryEntry[]): Idea[] {
  const ideas: Idea[] = [];
  const known = new Map<string, Idea>();
  const isCopy = ({ status }: HistoryEntry): number => (status === 'cached' ? 1 : 0);
  for (const entry of history.toSorted((a, b) => isCopy(a) - isCopy(b) || a.n - b.n)) {
    const keys = keysOf(entry);
    const same = keys.map((key) => known.get(key)).find((idea) => idea !== undefined);
    const idea = same ?? { first: entry, again: [] };
    if (same) same.again.push(entry);
    else ideas.push(idea);
    for (const key of keys) if (!known.has(key)) known.set(key, idea);
  }
  return ideas.toSorted((a, b) => a.first.n - b.first.n);
}

const keysOf = ({ candidateId, diff }: HistoryEntry): string[] => [
  ...(candidateId ? [`candidate ${candidateId}`] : []),
  ...(diff ? [`diff ${diff}`] : []),
];
