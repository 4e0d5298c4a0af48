import { type BarsLayer, hasPoints, type Layer, type Point, type PointLayer } from './layers.ts';

interface Where {
  /** Pixels. */
  x: number;
  y: number;
  toX: (value: number) => number;
  /** Of a value, or of none. */
  toY: (value: number | null) => number;
  hidden: ReadonlySet<string>;
}

/** Farther away than that is nothing; in pixels. */
const REACH = 24;

/** The point at the cursor: a dot that is near, else the line, step or bar that is. */
export function nearestPoint(layers: readonly Layer[], where: Where): Point | null {
  return closest(layers, { where, kinds: ['dots'] }) ?? closest(layers, { where, kinds: ['line', 'step', 'bars'] });
}

function closest(
  layers: readonly Layer[],
  { where, kinds }: { where: Where; kinds: readonly Layer['kind'][] },
): Point | null {
  let best: Point | null = null;
  let bestFar = REACH ** 2;
  for (const [at, layer] of layers.entries()) {
    if (!kinds.includes(layer.kind) || !hasPoints(layer) || where.hidden.has(layer.label)) continue;
    for (const [index, value] of layer.y.entries()) {
      if (layer.kind !== 'dots' && value === null) continue;
      if (layer.kind === 'dots' && where.hidden.has(layer.groups[layer.group[index] ?? -1]?.label ?? '')) continue;
      const far = awayFrom(layer, { index, where });
      if (far <= bestFar) [best, bestFar] = [{ layer: at, index }, far];
    }
  }
  return best;
}

/** Squared. A step is near along all of its way, a bar over its whole width and height. */
function awayFrom(layer: PointLayer, { index, where }: { index: number; where: Where }): number {
  const from = layer.x[index] ?? NaN;
  const value = layer.y[index] ?? null;
  if (layer.kind === 'bars') return awayFromBar(layer, { index, where });
  if (layer.kind !== 'step') return (where.toX(from) - where.x) ** 2 + (where.toY(value) - where.y) ** 2;
  const next = layer.x[index + 1];
  if (where.x < where.toX(from) || (next !== undefined && where.x >= where.toX(next))) return Infinity;
  return (where.toY(value) - where.y) ** 2;
}

function awayFromBar({ x, y, base, width }: BarsLayer, { index, where }: { index: number; where: Where }): number {
  const from = x[index] ?? NaN;
  if (where.x < where.toX(from) || where.x >= where.toX(from + width)) return Infinity;
  const foot = base?.[index] ?? 0;
  const [bottom, top] = [where.toY(foot), where.toY(foot + (y[index] ?? 0))];
  return where.y >= Math.min(top, bottom) - REACH / 2 && where.y <= Math.max(top, bottom) ? 0 : Infinity;
}
