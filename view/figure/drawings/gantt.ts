import { textMark } from '../axes.ts';
import { roundCoordinate, mark, type Drawing, type Mark } from '../mark.ts';
import type { Palette, Role } from '../palette.ts';

/** A kind of run's end, with its colour. The `pattern` over it distinguishes kinds without colour. */
export interface GanttKind {
  word: string;
  role: Role;
  pattern: 'plain' | 'hollow' | 'slash' | 'cross' | 'dots' | 'half';
}

/** Kinds of bars, by status. */
export const GANTT_KINDS: Record<string, GanttKind> = {
  running: { word: 'running', role: 'accent', pattern: 'hollow' },
  completed: { word: 'completed', role: 'good', pattern: 'plain' },
  aborted: { word: 'stopped early', role: 'stopped-early', pattern: 'slash' },
  failed: { word: 'failed', role: 'failed', pattern: 'cross' },
  lost: { word: 'lost', role: 'absorbed', pattern: 'dots' },
  other: { word: 'other', role: 'scored', pattern: 'half' },
};

export interface GanttRows {
  /** Names of the rows, from the top. */
  slots: readonly string[];
  /** Length of the plot in seconds. */
  seconds: number;
  bars: { slot: readonly number[]; start: readonly number[]; seconds: readonly number[]; kind: readonly GanttKind[] };
  ticks: readonly { at: number; words: string }[];
}

export const GANTT_ROW = { height: 24, bar: 16 };
/** Top of the first row, below the legend. */
const TOP = 34;

/** Runs on slots over time, for a file: one path for each kind, with a pattern as well as a colour. */
export function ganttDrawing({ slots, seconds, bars, ticks }: GanttRows, palette: Palette): Drawing {
  const [width, left] = [960, 150];
  const right = width - 10;
  const bottom = TOP + slots.length * GANTT_ROW.height;
  const x = (second: number) => left + (second / Math.max(1, seconds)) * (right - left);
  const boxes = boxesOf({ seconds, bars }, x);
  const kinds = [...boxes.keys()];
  return {
    width,
    height: bottom + 30,
    title: 'Runs on slots over time',
    marks: [
      mark('rect', { width, height: bottom + 30, fill: palette('surface') }),
      mark('defs', {}, ...kinds.map((kind) => patternMark(kind, palette))),
      ...kinds.flatMap(({ word, role, pattern }, index) => [
        boxMark(`M${left + index * 120} 10h14v10h-14z`, { word, role, pattern }, palette),
        textMark({ x: left + index * 120 + 20, y: 19, fill: palette('ink-2') }, word),
      ]),
      ...slots.flatMap((slot, row) => {
        const y = TOP + row * GANTT_ROW.height;
        return [
          mark('path', { d: `M${left} ${y}H${right}`, stroke: palette('line') }),
          textMark({ x: left - 8, y: y + 16, anchor: 'end', fill: palette('ink-2') }, slot),
        ];
      }),
      ...[...boxes].map(([kind, paths]) => boxMark(paths.join(''), kind, palette)),
      mark('path', { d: `M${left} ${bottom}H${right}`, stroke: palette('line-strong') }),
      ...ticks.flatMap(({ at: second, words }) => [
        mark('path', { d: `M${roundCoordinate(x(second))} ${bottom}v4`, stroke: palette('line-strong') }),
        textMark({ x: x(second), y: bottom + 17, anchor: 'middle', fill: palette('ink-2') }, words),
      ]),
    ],
  };
}

/** Width in pixels below which a bar is joined with its neighbour of the same kind. */
const NARROW = 2;

/** Boxes by kind, as parts of one path. */
function boxesOf({ seconds, bars }: Pick<GanttRows, 'seconds' | 'bars'>, x: (second: number) => number) {
  const order = bars.slot
    .map((_, bar) => bar)
    .sort((a, b) => (bars.slot[a] ?? 0) - (bars.slot[b] ?? 0) || (bars.start[a] ?? 0) - (bars.start[b] ?? 0));
  const joined: { slot: number; from: number; to: number; kind: GanttKind }[] = [];
  for (const bar of order) {
    const [slot, start, kind] = [bars.slot[bar] ?? 0, bars.start[bar] ?? 0, bars.kind[bar]];
    if (!kind) continue;
    const from = x(Math.max(0, start));
    const to = Math.max(from + 0.8, x(Math.min(seconds, start + (bars.seconds[bar] ?? 0))));
    const last = joined.at(-1);
    const near = last?.slot === slot && last.kind === kind && from - last.to < 1 && to - from < NARROW;
    if (last && near) last.to = Math.max(last.to, to);
    else joined.push({ slot, from, to, kind });
  }
  const boxes = new Map<GanttKind, string[]>();
  for (const { slot, from, to, kind } of joined) {
    const y = TOP + slot * GANTT_ROW.height + (GANTT_ROW.height - GANTT_ROW.bar) / 2;
    const width = roundCoordinate(to - from);
    const path = `M${roundCoordinate(from)} ${roundCoordinate(y)}h${width}v${GANTT_ROW.bar}h${-width}z`;
    const paths = boxes.get(kind);
    if (paths) paths.push(path);
    else boxes.set(kind, [path]);
  }
  return boxes;
}

const patternId = ({ pattern, role }: GanttKind): string => `${pattern}-${role}`;

function boxMark(d: string, kind: GanttKind, palette: Palette): Mark {
  const fill = kind.pattern === 'plain' ? palette(kind.role) : `url(#${patternId(kind)})`;
  return mark('path', { d, fill, stroke: palette(kind.role), 'stroke-width': 1 });
}

/** Lines of each pattern, in a box of 6 by 6 pixels. */
export const PATTERN_LINES: Record<GanttKind['pattern'], string> = {
  plain: '',
  hollow: '',
  slash: 'M-1 7L7-1',
  cross: 'M0 0L6 6M6 0L0 6',
  dots: 'M3 3h.01',
  half: 'M0 3h6',
};

function patternMark(kind: GanttKind, palette: Palette): Mark {
  const colour = palette(kind.role);
  const lines = mark('path', {
    d: PATTERN_LINES[kind.pattern] || 'M0 0',
    stroke: colour,
    fill: 'none',
    'stroke-width': kind.pattern === 'dots' ? 2.6 : 1.6,
    'stroke-linecap': 'round',
  });
  const ground = mark('rect', { width: 6, height: 6, fill: palette('surface') });
  const size = { width: 6, height: 6, patternUnits: 'userSpaceOnUse' };
  return mark('pattern', { id: patternId(kind), ...size }, ground, ...(kind.pattern === 'hollow' ? [] : [lines]));
}
