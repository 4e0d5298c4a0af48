/** Files of a candidate: path to text. */
export type Files = Readonly<Record<string, string>>;

/** The lines that a candidate has and the original has not, and the other way round, each with its sign and path. */
export function changedLines(original: Files, candidate: Files): Set<string> {
  const changed = new Set<string>();
  for (const path of new Set([...Object.keys(original), ...Object.keys(candidate)])) {
    if (original[path] === candidate[path]) continue;
    const [before, after] = [original, candidate].map((files) => new Set(files[path]?.split('\n') ?? []));
    for (const line of after ?? []) if (before?.has(line) === false) changed.add(`+${path}\n${line}`);
    for (const line of before ?? []) if (after?.has(line) === false) changed.add(`-${path}\n${line}`);
  }
  return changed;
}

/**
 * The least Jaccard distance from one change to others, the empty change among them: 0 where one of them is the same, 1 where
 * none has a line in common with it.
 */
export function nearestDistance(change: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): number {
  return Math.min(...[new Set<string>(), ...others].map((other) => jaccardDistance(change, other)));
}

function jaccardDistance(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((line) => b.has(line)).length;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : 1 - common / all;
}
