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
  /** Event at a step, printed below the axis. */
  mark?: { step: number; label: string } | null;
}

/** Draws a learning curve in braille dots: value over step, with both ranges. Counts the points that are not finite. */
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
  const labelOfRow = (index: number): string => {
    if (index === 0) return labels[0];
    return index === ROWS - 1 ? labels[1] : '';
  };
  const lines = grid.map((row, index) => {
    const dots = row.map((bits) => (bits ? String.fromCodePoint(0x2800 + bits) : ' ')).join('');
    return `  ${pad(labelOfRow(index), gutter - 2)} │${dots}`.trimEnd();
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

/** `▲ label` below its step, or `label ▲` if there is no room on the right. */
function markLine(
  { step, label }: { step: number; label: string },
  { xs, cells, gutter }: { xs: { min: number; span: number }; cells: number; gutter: number },
): string {
  const cell = Math.min(cells - 1, Math.max(0, Math.round(((step - xs.min) / xs.span) * (cells - 1))));
  const labelCells = widthOf(label) + 1;
  const fitsRight = cell + labelCells < cells || cell < labelCells;
  const text = fitsRight ? `${' '.repeat(cell)}▲ ${label}` : `${' '.repeat(cell - labelCells)}${label} ▲`;
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
