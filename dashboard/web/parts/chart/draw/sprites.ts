import { colourOf, onTheme } from './ink.ts';
import type { Group } from '../layers.ts';

/** The box of a shape. */
const BOX = 12;

const made = new Map<string, HTMLCanvasElement>();
onTheme(() => made.clear());

/** The picture of a group's shape, drawn once for each size and theme: thousands of pictures cost less than as many paths. */
export function spriteOf({ ink, shape }: Group, size: number): HTMLCanvasElement {
  const key = `${ink} ${shape.path} ${shape.filled} ${size}`;
  const found = made.get(key);
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
  made.set(key, sprite);
  return sprite;
}
