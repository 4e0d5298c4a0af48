import { formatValue } from '../../../domain/text/format.ts';
import { pad, widthOf } from '../text/text.ts';

const ROWS = 8;
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

export interface CurveOptions {
  width: number;
  name: string;
  /** What happened at a step, told under the axis. */
  mark?: { step: number; label: string } | null;
}

/** A small learning curve in braille dots: the value over the steps, with its range; what is not finite is counted. */
export function renderCurve(points: { step: number; value: number }[], options: CurveOptions): string[] {
  const drawn = points.filter((point) => Number.isFinite(point.value) && Number.isFinite(point.step));
  const missing = points.length - drawn.length;
  const note = missing > 0 ? [`  ${missing} of ${points.length} points are not finite`] : [];
  const first = drawn[0];
  if (!first) return note;
  const xs = rangeOf(drawn.map((point) => point.step));
  const ys = rangeOf(drawn.map((point) => point.value));
  const labels = [formatValue(ys.max), formatValue(ys.min)] as const;
  const gutter = Math.max(...labels.map(widthOf)) + 2;
  const cells = Math.max(8, Math.min(60, options.width - gutter - 4));
  const grid = Array.from({ length: ROWS }, () => new Array<number>(cells).fill(0));
  for (const point of drawn) {
    const x = Math.round(((point.step - xs.min) / xs.span) * (cells * 2 - 1));
    const y = Math.round(((ys.max - point.value) / ys.span) * (ROWS * 4 - 1));
    const row = grid[y >> 2];
    if (row) row[x >> 1] = (row[x >> 1] ?? 0) | (DOTS[x & 1 ? 1 : 0][y & 3] ?? 0);
  }
  const lines = grid.map((row, index) => {
    const label = index === 0 ? labels[0] : index === ROWS - 1 ? labels[1] : '';
    return `  ${pad(label, gutter - 2)} │${row.map((dots) => (dots ? String.fromCodePoint(0x2800 + dots) : ' ')).join('')}`.trimEnd();
  });
  const axis = `  ${' '.repeat(gutter - 2)} └${'─'.repeat(cells)}`;
  const mark = options.mark ? [markLine(options.mark, { xs, cells, gutter })] : [];
  const last = drawn.at(-1) ?? first;
  return [
    `${options.name}, step ${xs.min} to ${xs.max}, last ${formatValue(last.value)}`,
    ...lines,
    axis,
    ...mark,
    ...note,
  ];
}

/** `▲ label` under its step, or `label ▲` where there is no room to the right of it. */
function markLine(
  { step, label }: { step: number; label: string },
  { xs, cells, gutter }: { xs: { min: number; span: number }; cells: number; gutter: number },
): string {
  const cell = Math.min(cells - 1, Math.max(0, Math.round(((step - xs.min) / xs.span) * (cells - 1))));
  const room = widthOf(label) + 1;
  const text =
    cell + room < cells || cell < room ? `${' '.repeat(cell)}▲ ${label}` : `${' '.repeat(cell - room)}${label} ▲`;
  return `${' '.repeat(gutter + 2)}${text}`;
}

function rangeOf(values: number[]): { min: number; max: number; span: number } {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return { min, max, span: max > min ? max - min : 1 };
}
