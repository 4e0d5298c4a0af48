import { colourOf, onTheme } from './ink.ts';
import type { DotsLayer, DotGroup, Ink } from '../layers.ts';
import type { Plot } from './plot.ts';

/** Side of a cell in device pixels. Points of a group that fall into the same cell are drawn once. */
const CELL = 2;

/** Limit of filled points of a group that are drawn as sprites. More are drawn as squares, at a tenth of the cost. */
const CROWD = 1500;

/** Side of the box of a shape. */
const BOX = 12;

const sprites = new Map<string, HTMLCanvasElement>();
onTheme(() => sprites.clear());

/** Image of a group's shape, drawn once per size and theme. Copying an image is cheaper than drawing a path. */
function spriteOf({ ink, shape }: DotGroup, size: number): HTMLCanvasElement {
  const key = `${ink} ${shape.path} ${shape.filled} ${size}`;
  const found = sprites.get(key);
  if (found) return found;
  const sprite = document.createElement('canvas');
  const room = Math.ceil(size * 1.25);
  sprite.width = sprite.height = room;
  const pen = sprite.getContext('2d');
  if (pen === null) throw new Error('Expected a canvas to draw on, got none.');
  pen.translate((room - size) / 2, (room - size) / 2);
  pen.scale(size / BOX, size / BOX);
  const path = new Path2D(shape.path);
  pen.lineWidth = 1.8;
  pen.lineJoin = 'round';
  pen.strokeStyle = pen.fillStyle = colourOf(ink);
  if (shape.filled) pen.fill(path);
  else pen.stroke(path);
  sprites.set(key, sprite);
  return sprite;
}

/**
 * Draws dots by their groups, the first group on top. A dot without a value is drawn in the lane at the bottom, a dot
 * outside the plot at its edge.
 */
export function drawDots(layer: DotsLayer, plot: Plot): void {
  const { pen, box, ratio } = plot;
  const size = Math.round(sizeFor(layer.x.length) * ratio);
  const byGroup = layer.groups.map((): number[] => []);
  layer.group.forEach((group, index) => byGroup[group]?.push(index));
  const columns = Math.ceil(box.width / CELL) + 1;
  for (const [g, group] of [...layer.groups.entries()].reverse()) {
    if (plot.hidden.has(group.label)) continue;
    const sprite = spriteOf(group, size);
    const plain = group.shape.filled && (byGroup[g]?.length ?? 0) > CROWD;
    pen.fillStyle = colourOf(group.ink);
    const drawn = new Set<number>();
    for (const index of byGroup[g] ?? []) {
      const x = plot.toX(layer.x[index] ?? NaN);
      if (!(x >= box.left && x <= box.left + box.width)) continue;
      const y = placeY(layer.y[index] ?? null, plot);
      const cell = Math.round((y - box.top) / CELL) * columns + Math.round((x - box.left) / CELL);
      if (drawn.has(cell)) continue;
      drawn.add(cell);
      if (isOutside(layer.y[index] ?? null, { y, plot })) drawPointer(y, { x, ink: group.ink, plot });
      if (plain) pen.fillRect(Math.round(x - size / 2), Math.round(y - size / 2), size - 1, size - 1);
      else pen.drawImage(sprite, Math.round(x - sprite.width / 2), Math.round(y - sprite.height / 2));
    }
  }
}

/** Vertical position in device pixels, also of a value that is missing or outside the plot. */
export function placeY(value: number | null, { box, ratio, toY, lane }: Plot): number {
  const bottom = box.top + box.height;
  if (value === null || !Number.isFinite(value)) return bottom - (lane * ratio) / 2;
  const edge = 9 * ratio;
  return Math.min(bottom - lane * ratio - edge, Math.max(box.top + edge, toY(value)));
}

const isOutside = (value: number | null, { y, plot }: { y: number; plot: Plot }): boolean =>
  value !== null && Math.abs(plot.toY(value) - y) > 1;

/** Draws a stroke from a dot towards the edge beyond which its value is. */
function drawPointer(y: number, { x, ink, plot: { pen, box, ratio } }: { x: number; ink: Ink; plot: Plot }): void {
  pen.strokeStyle = colourOf(ink);
  pen.lineWidth = ratio;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x, y < box.top + box.height / 2 ? box.top : y + 9 * ratio);
  pen.stroke();
}

/** Size of a dot in CSS pixels: the more points, the smaller. */
function sizeFor(points: number): number {
  if (points > 3000) return 5;
  if (points > 600) return 7;
  return points > 150 ? 8.5 : 10;
}
