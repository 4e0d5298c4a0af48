import type { Gantt } from '../../../api/fleet.ts';
import { GANTT_OUTCOMES } from '../../../api/outcomes.ts';
import { GANTT_KINDS, GANTT_ROW, type GanttKind } from '../../../../view/figure/drawings/gantt.ts';

/** Outcome of the run behind a bar. */
export const ganttKindOf = ({ bars }: Gantt, bar: number): GanttKind =>
  GANTT_KINDS[GANTT_OUTCOMES[bars.outcome[bar] ?? -1] ?? 'other'] ?? OTHER;
const OTHER: GanttKind = { word: 'other', role: 'scored', pattern: 'half' };

/** Slots by row from the top: the present slots, then slots that ran something and no longer exist. */
export function rowsOf({ slots }: Pick<Gantt, 'slots'>, known: readonly string[]): string[] {
  return [...known, ...slots.filter((slot) => !known.includes(slot))];
}

export interface GanttPlane {
  /** Width in pixels. */
  width: number;
  /** Width of the names at the left, in pixels. */
  left: number;
  /** Slot of each row. */
  rows: readonly string[];
}

export const PLANE_TOP = 4;
export const planeHeight = (rows: number): number => PLANE_TOP + Math.max(1, rows) * GANTT_ROW.height + 24;

/** Length of the plot in seconds. */
export const secondsOf = ({ from, to }: Pick<Gantt, 'from' | 'to'>): number =>
  Math.max(1, (Date.parse(to) - Date.parse(from)) / 1000);

/** A bar's box in pixels, clipped to the plot. */
export function boxOf(gantt: Gantt, bar: number, { width, left, rows }: GanttPlane) {
  const { slot, start, seconds } = gantt.bars;
  const row = rows.indexOf(gantt.slots[slot[bar] ?? -1] ?? '');
  const each = (width - left - 8) / secondsOf(gantt);
  const begin = Math.max(0, start[bar] ?? 0);
  const end = Math.min(secondsOf(gantt), (start[bar] ?? 0) + (seconds[bar] ?? 0));
  return {
    x: left + begin * each,
    y: PLANE_TOP + row * GANTT_ROW.height + (GANTT_ROW.height - GANTT_ROW.bar) / 2,
    width: Math.max(1.5, (end - begin) * each),
    height: GANTT_ROW.bar,
  };
}

/** The bar at a point, or the nearest bar less than three pixels beside it. If bars overlap, the last one is on top. */
export function barAt(gantt: Gantt, plane: GanttPlane, point: { x: number; y: number }): number | null {
  const row = Math.floor((point.y - PLANE_TOP) / GANTT_ROW.height);
  const slot = gantt.slots.indexOf(plane.rows[row] ?? '');
  if (slot < 0 || point.x < plane.left) return null;
  let found: number | null = null;
  let least = 3;
  for (let bar = 0; bar < gantt.bars.slot.length; bar++) {
    if (gantt.bars.slot[bar] !== slot) continue;
    const { x, width } = boxOf(gantt, bar, plane);
    const distance = point.x < x ? x - point.x : Math.max(0, point.x - x - width);
    if (distance <= least && (distance < least || distance === 0)) [least, found] = [distance, bar];
  }
  return found;
}
