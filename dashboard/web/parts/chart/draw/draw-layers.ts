import { drawDots } from './draw-dots.ts';
import { colourOf } from './ink.ts';
import type { BarsLayer, Layer, LevelLayer, LineLayer, MarkLayer } from '../layers.ts';
import type { Plot } from './plot.ts';
import { bandOf, cornersOf } from './steps.ts';

/** Opacity of bands. */
const BAND_ALPHA = 0.16;
/** Opacity of a shaded stretch, below everything that lies in it. */
const SHADE_ALPHA = 0.08;

/** Draws layers in order, the last one on top. */
export function drawLayers(layers: readonly Layer[], plot: Plot): void {
  const { pen, box } = plot;
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  pen.lineJoin = 'round';
  for (const layer of layers) if (!plot.hidden.has(layer.label)) drawLayer(layer, plot);
  pen.restore();
}

function drawLayer(layer: Layer, plot: Plot): void {
  switch (layer.kind) {
    case 'line':
    case 'step':
      return drawLine(layer, plot);
    case 'dots':
      return drawDots(layer, plot);
    case 'bars':
      return drawBars(layer, plot);
    case 'level':
      return drawLevel(layer, plot);
    case 'mark':
      return drawMark(layer, plot);
  }
}

function drawLine(layer: LineLayer, plot: Plot): void {
  const { pen, ratio } = plot;
  const { low, high, width = 1.5, dash = [] } = layer;
  if (low && high) fillBand(layer, plot);
  pen.strokeStyle = colourOf(layer.ink);
  pen.lineWidth = width * ratio;
  pen.setLineDash(dash.map((length) => length * ratio));
  pen.beginPath();
  for (const stretch of stretchesOf(layer)) trace(stretch, plot);
  pen.stroke();
  pen.setLineDash([]);
  if (layer.marks) drawMarks(layer, plot);
}

const stretchesOf = ({ kind, x, y, end = -Infinity }: LineLayer): [number, number][][] =>
  kind === 'step' ? cornersOf(x, y, end) : runsOf(x, y);

/** Points of a line, split at gaps. */
function runsOf(x: readonly number[], y: readonly (number | null | undefined)[]): [number, number][][] {
  const runs: [number, number][][] = [[]];
  for (const [index, from] of x.entries()) {
    const value = y[index] ?? null;
    if (value === null || !Number.isFinite(value)) runs.push([]);
    else runs.at(-1)?.push([from, value]);
  }
  return runs.filter((run) => run.length > 0);
}

function fillBand({ kind, x, low = [], high = [], end = -Infinity, ink }: LineLayer, plot: Plot): void {
  const { pen } = plot;
  const both = (values: readonly (number | null)[]) =>
    x.map((_, index) => ((low[index] ?? null) === null || (high[index] ?? null) === null ? null : values[index]));
  const outlines =
    kind === 'step'
      ? bandOf(x, { low, high, end })
      : runsOf(x, both(high)).map((run, index) => [...run, ...(runsOf(x, both(low))[index] ?? []).toReversed()]);
  pen.globalAlpha = BAND_ALPHA;
  pen.fillStyle = colourOf(ink);
  pen.beginPath();
  for (const outline of outlines) {
    trace(outline, plot);
    pen.closePath();
  }
  pen.fill();
  pen.globalAlpha = 1;
}

function trace(stretch: readonly [number, number][], { pen, toX, toY }: Plot): void {
  for (const [index, [x, y]] of stretch.entries()) {
    if (index === 0) pen.moveTo(toX(x), toY(y));
    else pen.lineTo(toX(x), toY(y));
  }
}

function drawMarks({ x, y, ink }: LineLayer, { pen, ratio, toX, toY }: Plot): void {
  pen.fillStyle = colourOf(ink);
  for (const [index, value] of y.entries()) {
    if (value === null) continue;
    pen.beginPath();
    pen.arc(toX(x[index] ?? NaN), toY(value), 3.5 * ratio, 0, 2 * Math.PI);
    pen.fill();
  }
}

function drawBars({ x, y, base = [], width, ink }: BarsLayer, { pen, ratio, toX, toY }: Plot): void {
  pen.fillStyle = colourOf(ink);
  for (const [index, value] of y.entries()) {
    if (value === null || value === 0) continue;
    const from = x[index] ?? NaN;
    const foot = base[index] ?? 0;
    const [left, right] = [toX(from), toX(from + width)];
    const gap = right - left > 4 * ratio ? ratio : 0;
    const [top, bottom] = [toY(foot + value), toY(foot)];
    pen.fillRect(left, top, Math.max(ratio, right - left - gap), bottom - top);
  }
}

function drawLevel({ y, spread, ink, dash = [], label, far }: LevelLayer, plot: Plot): void {
  const { pen, box, ratio, toY } = plot;
  const colour = colourOf(ink);
  if (spread) {
    pen.globalAlpha = BAND_ALPHA;
    pen.fillStyle = colour;
    const [top, bottom] = [toY(y + spread), toY(y - spread)];
    pen.fillRect(box.left, Math.min(top, bottom), box.width, Math.abs(bottom - top));
    pen.globalAlpha = 1;
  }
  const at = toY(y);
  const outside = !(at >= box.top && at <= box.top + box.height);
  if (outside && !far) return;
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = ratio;
  if (outside) {
    const above = at < box.top;
    writeAtEdge(`${label} ${above ? '↑' : '↓'}`, { edge: above ? 'top' : 'bottom', plot });
    return;
  }
  pen.setLineDash(dash.map((length) => length * ratio));
  pen.beginPath();
  pen.moveTo(box.left, at);
  pen.lineTo(box.left + box.width, at);
  pen.stroke();
  pen.setLineDash([]);
}

/** Writes a text at the right end of an edge, to the left of the texts that are there already. */
function writeAtEdge(text: string, { edge, plot }: { edge: 'top' | 'bottom'; plot: Plot }): void {
  const { pen, box, ratio, font, lane, written } = plot;
  pen.font = font;
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  const at = edge === 'top' ? box.top + 8 * ratio : box.top + box.height - (lane + 8) * ratio;
  pen.fillText(text, box.left + box.width - 4 * ratio - written[edge], at);
  written[edge] += pen.measureText(text).width + 12 * ratio;
}

function drawMark({ x, until, ink, label }: MarkLayer, { pen, box, ratio, toX, font }: Plot): void {
  const at = toX(x);
  pen.strokeStyle = pen.fillStyle = colourOf(ink);
  if (until !== undefined) {
    pen.globalAlpha = SHADE_ALPHA;
    pen.fillRect(at, box.top, toX(until) - at, box.height);
    pen.globalAlpha = 1;
  }
  pen.lineWidth = ratio;
  pen.setLineDash([3 * ratio, 3 * ratio]);
  pen.beginPath();
  pen.moveTo(at, box.top);
  pen.lineTo(at, box.top + box.height);
  pen.stroke();
  pen.setLineDash([]);
  pen.font = font;
  pen.textBaseline = 'top';
  const right = at > box.left + box.width / 2;
  pen.textAlign = right ? 'right' : 'left';
  pen.fillText(label, at + (right ? -4 : 4) * ratio, box.top + 2 * ratio);
}
