import type { Gantt } from '../../../api/fleet.ts';
import { GANTT_ROW, PATTERN_LINES, type GanttKind } from '../../../../view/figure/drawings/gantt.ts';
import type { Palette } from '../../../../view/figure/palette.ts';
import { boxOf, ganttKindOf, planeHeight, PLANE_TOP, secondsOf, type GanttPlane } from './gantt-bars.ts';
import { slotName } from './labels.ts';
import { timeTicks } from './time-ticks.ts';

interface Scene {
  gantt: Gantt;
  plane: GanttPlane;
  /** The bar under the pointer. */
  marked: number | null;
}

/** Paints runs on slots over time: a row for each slot, a bar for each run. */
export function paintGantt(pen: CanvasRenderingContext2D, { gantt, plane, marked }: Scene, palette: Palette): void {
  const { width, left, rows } = plane;
  pen.font = '12px system-ui, sans-serif';
  rows.forEach((slot, row) => {
    const y = PLANE_TOP + row * GANTT_ROW.height;
    line(pen, { x: left, y: y + GANTT_ROW.height - 0.5, width: width - left - 8, colour: palette('line') });
    pen.fillStyle = palette('ink-2');
    pen.textAlign = 'left';
    pen.fillText(fitted(pen, slotName(slot), left - 8), 0, y + 16);
  });
  paintTime(pen, { gantt, plane }, palette);
  const patterns = new Map<GanttKind, CanvasPattern | string>();
  gantt.bars.slot.forEach((_, bar) => {
    const kind = ganttKindOf(gantt, bar);
    const fill = patterns.get(kind) ?? fillOf(pen, kind, palette);
    patterns.set(kind, fill);
    const box = boxOf(gantt, bar, plane);
    pen.fillStyle = fill;
    pen.fillRect(box.x, box.y, box.width, box.height);
    if (box.width < 3) return;
    pen.lineWidth = bar === marked ? 2.5 : 1;
    pen.strokeStyle = bar === marked ? palette('ink') : palette(kind.role);
    pen.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1);
  });
}

function paintTime(pen: CanvasRenderingContext2D, { gantt, plane }: Omit<Scene, 'marked'>, palette: Palette): void {
  const { width, left, rows } = plane;
  const seconds = secondsOf(gantt);
  const bottom = planeHeight(rows.length) - 24;
  pen.textAlign = 'center';
  for (const { at, words } of timeTicks(new Date(gantt.from), seconds, Math.max(2, (width - left) / 80))) {
    const x = left + (at / seconds) * (width - left - 8);
    pen.fillStyle = palette('line');
    pen.fillRect(Math.round(x), PLANE_TOP, 1, bottom - PLANE_TOP + 4);
    pen.fillStyle = palette('ink-2');
    if (x > left + 14 && x < width - 20) pen.fillText(words, x, bottom + 18);
  }
}

const line = (
  pen: CanvasRenderingContext2D,
  { x, y, width, colour }: { x: number; y: number; width: number; colour: string },
): void => {
  pen.fillStyle = colour;
  pen.fillRect(x, y, width, 1);
};

/** Cuts a text to a width in pixels: its end, after an ellipsis. */
function fitted(pen: CanvasRenderingContext2D, text: string, width: number): string {
  if (pen.measureText(text).width <= width) return text;
  let kept = text;
  while (kept.length > 1 && pen.measureText(`…${kept}`).width > width) kept = kept.slice(1);
  return `…${kept}`;
}

/** Fill of the bars of an outcome: its colour with its pattern. */
function fillOf(pen: CanvasRenderingContext2D, { role, pattern }: GanttKind, palette: Palette): CanvasPattern | string {
  const colour = palette(role);
  if (pattern === 'plain') return colour;
  if (pattern === 'hollow') return palette('accent-soft');
  const tile = document.createElement('canvas');
  const scale = devicePixelRatio;
  tile.width = tile.height = Math.round(6 * scale);
  const brush = tile.getContext('2d');
  if (!brush) return colour;
  brush.scale(tile.width / 6, tile.width / 6);
  brush.fillStyle = palette('surface');
  brush.fillRect(0, 0, 6, 6);
  brush.strokeStyle = colour;
  brush.lineCap = 'round';
  brush.lineWidth = pattern === 'dots' ? 2.6 : 1.6;
  brush.stroke(new Path2D(PATTERN_LINES[pattern]));
  const made = pen.createPattern(tile, 'repeat');
  made?.setTransform(new DOMMatrix().scale(1 / scale));
  return made ?? colour;
}
