export type Point = readonly [number, number];

/** Pixels within which two dots of one kind look like one. */
const FINEST = 1;

/**
 * At most so many of the points, so that the picture stays: one of each cell of a grid that is as fine as that allows. All of
 * them where they are few enough. The first of a cell stays.
 */
export function thin(points: readonly Point[], most: number): readonly Point[] {
  if (points.length <= most) return points;
  for (let cell = FINEST; ; cell *= 1.3) {
    const kept = new Map<string, Point>();
    for (const point of points) {
      const key = `${Math.floor(point[0] / cell)},${Math.floor(point[1] / cell)}`;
      if (!kept.has(key)) kept.set(key, point);
    }
    if (kept.size <= most) return [...kept.values()];
  }
}
