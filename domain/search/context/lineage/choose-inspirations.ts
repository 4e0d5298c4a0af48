/** A candidate with its place in the search. */
export interface Placed {
  candidateId: string;
  /** Its ancestors, the nearest first. */
  ancestors: readonly string[];
  /** Island or cell of the parent rule; null: it has none. */
  niche: string | null;
}

/**
 * Chooses candidates for inspiration among the best ones: each time the one that is farthest from the parent and from
 * those chosen before. A candidate of a niche that none of them has comes first; then the number of steps between both
 * in the tree counts; then the rank. `pool`: best first.
 */
export function chooseInspirations(
  pool: readonly Placed[],
  { parent, count }: { parent: Placed; count: number },
): string[] {
  const chosen: Placed[] = [parent];
  let free = pool.filter(({ candidateId }) => candidateId !== parent.candidateId);
  while (free.length > 0 && chosen.length <= count) {
    const [next] = free
      .map((one) => ({
        one,
        isNew: hasNewNiche(one, chosen),
        steps: Math.min(...chosen.map((it) => stepsBetween(one, it))),
      }))
      .toSorted((a, b) => Number(b.isNew) - Number(a.isNew) || b.steps - a.steps);
    if (next === undefined) break;
    chosen.push(next.one);
    free = free.filter(({ candidateId }) => candidateId !== next.one.candidateId);
  }
  return chosen.slice(1).map(({ candidateId }) => candidateId);
}

const hasNewNiche = ({ niche }: Placed, chosen: readonly Placed[]): boolean =>
  niche !== null && chosen.every((it) => it.niche !== niche);

/** Edges between two candidates over their nearest common ancestor; without one, over both of their oldest ones. */
export function stepsBetween(a: Placed, b: Placed): number {
  const [pathA, pathB] = [
    [a.candidateId, ...a.ancestors],
    [b.candidateId, ...b.ancestors],
  ];
  const at = new Map(pathB.map((id, i) => [id, i]));
  const common = pathA.findIndex((id) => at.has(id));
  return common < 0 ? pathA.length + pathB.length : common + (at.get(pathA[common] ?? '') ?? 0);
}
