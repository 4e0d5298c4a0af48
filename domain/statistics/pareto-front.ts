type Direction = 'minimize' | 'maximize';

/** Numbers of points by index. Null, NaN and infinity: the point has no number. */
type Numbers = readonly (number | null)[];

/**
 * Indices of the points that no other point dominates, by `x`, the best first, in O(n log n). A point dominates another
 * one if it is at least as good in both numbers and better in one. Equal points do not dominate each other, so all of
 * them are in the front. A point without one of the two numbers neither is in the front nor dominates.
 */
export function paretoFront(points: { x: Numbers; y: Numbers }, better: { x: Direction; y: Direction }): number[] {
  const costs = points.x.flatMap((x, index) => {
    const y = points.y[index] ?? null;
    if (x === null || y === null || !Number.isFinite(x) || !Number.isFinite(y)) return [];
    return [{ index, x: better.x === 'minimize' ? x : -x, y: better.y === 'minimize' ? y : -y }];
  });
  costs.sort((a, b) => a.x - b.x || a.y - b.y || a.index - b.index);
  const front: number[] = [];
  let best = { x: Infinity, y: Infinity };
  for (const { index, x, y } of costs) {
    if (y > best.y || (y === best.y && x !== best.x)) continue;
    best = { x, y };
    front.push(index);
  }
  return front;
}
