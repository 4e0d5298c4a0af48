import { type Extent, hasPoints, type Layer } from './layers.ts';
import { padded, type Range, robustRange } from './range.ts';
import type { Zoom } from './zoom.ts';

/** Ranges of the axes for layers, and the numbers of points below and above the range of y. */
export interface Fit extends Extent {
  below: number;
  above: number;
  /** True if the plot has a lane for points without a value. */
  lane: boolean;
}

interface FitInput {
  layers: readonly Layer[];
  zoom: Zoom | null;
  log: boolean;
}

/** Computes the ranges of the axes that show the layers, or the zoom. */
export function fitOf({ layers, zoom, log }: FitInput): Fit {
  const x = zoom?.x ?? wholeX(layers);
  const lane = layers.some(
    (layer) =>
      layer.kind === 'dots' && layer.y.some((value, index) => value === null && layer.group[index] !== undefined),
  );
  const range = rangeY(layers, { x, log }) ?? { min: 0, max: 1, below: 0, above: 0 };
  if (zoom?.y) return { x, y: zoom.y, ...outside(layers, { x, y: zoom.y }), lane };
  const y = layers.some(({ kind }) => kind === 'bars') ? fromZero(range) : room(range, log);
  return { x, y, below: range.below, above: range.above, lane };
}

function wholeX(layers: readonly Layer[]): [number, number] {
  let [min, max] = [Infinity, -Infinity];
  for (const layer of layers) {
    for (const x of xsOf(layer)) [min, max] = [Math.min(min, x), Math.max(max, x)];
    if (layer.kind === 'bars' && layer.x.length > 0) max = Math.max(max, (layer.x.at(-1) ?? max) + layer.width);
    if (layer.kind === 'step' && layer.end !== undefined) max = Math.max(max, layer.end);
  }
  if (min > max) return [0, 1];
  if (layers.some(({ kind }) => kind === 'bars')) return [min, max];
  return padded([min, max], 0.015);
}

function xsOf(layer: Layer): readonly number[] {
  if (hasPoints(layer)) return layer.x;
  return layer.kind === 'mark' ? [layer.x] : [];
}

/** Range of y. Outliers among dots may lie outside; lines, bars and levels that are not `far` are inside. */
function rangeY(layers: readonly Layer[], { x, log }: { x: [number, number]; log: boolean }): Range | null {
  const bulk: number[] = [];
  const musts: number[] = [];
  for (const layer of layers) {
    if (layer.kind === 'level')
      musts.push(...(layer.far ? [] : [layer.y - (layer.spread ?? 0), layer.y + (layer.spread ?? 0)]));
    if (!hasPoints(layer)) continue;
    for (const [index, value] of layer.y.entries()) {
      if (value === null || !reaches(layer, { index, x })) continue;
      if (layer.kind === 'dots') bulk.push(value);
      else if (layer.kind === 'bars') musts.push((layer.base?.[index] ?? 0) + value);
      else musts.push(value, layer.low?.[index] ?? value, layer.high?.[index] ?? value);
    }
  }
  const usable = log ? (values: number[]) => values.filter((value) => value > 0) : (values: number[]) => values;
  return robustRange(usable(bulk), usable(musts));
}

/** True if a dot is in the range of x, or if the span from another point to its next point overlaps the range. */
function reaches(layer: Layer, { index, x: [from, to] }: { index: number; x: [number, number] }): boolean {
  if (!hasPoints(layer)) return true;
  const at = layer.x[index] ?? NaN;
  if (layer.kind === 'dots') return at >= from && at <= to;
  return at <= to && (layer.x[index + 1] ?? Infinity) >= from;
}

function outside(layers: readonly Layer[], { x, y }: Extent): { below: number; above: number } {
  let [below, above] = [0, 0];
  for (const layer of layers) {
    if (layer.kind !== 'dots') continue;
    for (const [index, value] of layer.y.entries()) {
      if (value === null || !reaches(layer, { index, x })) continue;
      if (value < y[0]) below++;
      if (value > y[1]) above++;
    }
  }
  return { below, above };
}

/** Range for bars: from zero, with room above them. */
function fromZero({ min, max }: Range): [number, number] {
  const bottom = Math.min(0, min);
  if (max > 0) return [bottom, max * 1.08];
  return [bottom, min < 0 ? 0 : 1];
}

function room({ min, max }: Range, log: boolean): [number, number] {
  if (!log) return padded([min, max], 0.06);
  const [low, high] = padded([Math.log10(min), Math.log10(max)], 0.06);
  return [10 ** low, 10 ** high];
}

/** True if a logarithmic axis can show the layers: all values are positive, and there are no bars. */
export function canLog(layers: readonly Layer[]): boolean {
  let some = false;
  for (const layer of layers) {
    if (layer.kind === 'level' && !layer.far && layer.y <= 0) return false;
    if (layer.kind === 'bars') return false;
    if (!hasPoints(layer)) continue;
    for (const value of layer.y) {
      if (value === null) continue;
      if (value <= 0) return false;
      some = true;
    }
  }
  return some;
}
