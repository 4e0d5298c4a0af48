import { type Extent, hasPoints, type Layer } from './layers.ts';
import { padded, type Range, robustRange } from './range.ts';
import type { Zoom } from './zoom.ts';

/** Stretches of the axes for layers, and how many points lie above and below. */
export interface Fit extends Extent {
  below: number;
  above: number;
  /** Points without a value have a lane. */
  lane: boolean;
}

interface Asked {
  layers: readonly Layer[];
  zoom: Zoom | null;
  log: boolean;
}

/** The axes that show the layers, or what a person zoomed into. */
export function fitOf({ layers, zoom, log }: Asked): Fit {
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
    const edges = hasPoints(layer) ? layer.x : layer.kind === 'mark' ? [layer.x] : [];
    for (const edge of edges) [min, max] = [Math.min(min, edge), Math.max(max, edge)];
    if (layer.kind === 'bars' && layer.x.length > 0) max = Math.max(max, (layer.x.at(-1) ?? max) + layer.width);
    if (layer.kind === 'step' && layer.end !== undefined) max = Math.max(max, layer.end);
  }
  if (min > max) return [0, 1];
  if (layers.some(({ kind }) => kind === 'bars')) return [min, max];
  return padded([min, max], 0.015);
}

/** Points are fitted robustly; lines, levels and bars are shown whole. */
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

/** Whether a point, or what it holds until the next one, is in the stretch. */
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

const fromZero = ({ min, max }: Range): [number, number] => [Math.min(0, min), max > 0 ? max * 1.08 : min < 0 ? 0 : 1];

function room({ min, max }: Range, log: boolean): [number, number] {
  if (!log) return padded([min, max], 0.06);
  const [low, high] = padded([Math.log10(min), Math.log10(max)], 0.06);
  return [10 ** low, 10 ** high];
}

/** Whether a logarithmic axis can show everything. */
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
