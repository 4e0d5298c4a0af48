import { type BarsLayer, hasPoints, type Layer, type Point, type PointLayer } from './layers.ts';

interface Cursor {
  /** Position of the cursor in pixels. */
  x: number;
  y: number;
  toX: (value: number) => number;
  /** Position of a value, also of a missing one. */
  toY: (value: number | null) => number;
  hidden: ReadonlySet<string>;
}

/** Greatest distance from the cursor to a point, in pixels. */
const REACH = 24;

/** The point at the cursor: the nearest dot within reach, else the nearest line, step or bar. */
export function nearestPoint(layers: readonly Layer[], cursor: Cursor): Point | null {
  return closest(layers, { cursor, kinds: ['dots'] }) ?? closest(layers, { cursor, kinds: ['line', 'step', 'bars'] });
}

function closest(
  layers: readonly Layer[],
  { cursor, kinds }: { cursor: Cursor; kinds: readonly Layer['kind'][] },
): Point | null {
  let best: Point | null = null;
  let least = REACH ** 2;
  for (const [at, layer] of layers.entries()) {
    if (!kinds.includes(layer.kind) || !hasPoints(layer) || cursor.hidden.has(layer.label)) continue;
    for (const [index, value] of layer.y.entries()) {
      if (layer.kind !== 'dots' && value === null) continue;
      if (layer.kind === 'dots' && cursor.hidden.has(layer.groups[layer.group[index] ?? -1]?.label ?? '')) continue;
      const distance = squaredDistance(layer, { index, cursor });
      if (distance <= least) [best, least] = [{ layer: at, index }, distance];
    }
  }
  return best;
}

/** Squared distance of a point from the cursor. A step counts from its x to the next x, a bar with its whole area. */
function squaredDistance(layer: PointLayer, { index, cursor }: { index: number; cursor: Cursor }): number {
  const from = layer.x[index] ?? NaN;
  const value = layer.y[index] ?? null;
  if (layer.kind === 'bars') return distanceFromBar(layer, { index, cursor });
  if (layer.kind !== 'step') return (cursor.toX(from) - cursor.x) ** 2 + (cursor.toY(value) - cursor.y) ** 2;
  const next = layer.x[index + 1];
  if (cursor.x < cursor.toX(from) || (next !== undefined && cursor.x >= cursor.toX(next))) return Infinity;
  return (cursor.toY(value) - cursor.y) ** 2;
}

/** 0 if the cursor is on the bar or just above it, else infinite. */
function distanceFromBar(
  { x, y, base, width }: BarsLayer,
  { index, cursor }: { index: number; cursor: Cursor },
): number {
  const from = x[index] ?? NaN;
  if (cursor.x < cursor.toX(from) || cursor.x >= cursor.toX(from + width)) return Infinity;
  const foot = base?.[index] ?? 0;
  const [bottom, top] = [cursor.toY(foot), cursor.toY(foot + (y[index] ?? 0))];
  return cursor.y >= Math.min(top, bottom) - REACH / 2 && cursor.y <= Math.max(top, bottom) ? 0 : Infinity;
}
