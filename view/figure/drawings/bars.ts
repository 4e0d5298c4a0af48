import { alongAxis, valueAxis, type Frame } from '../axes.ts';
import { roundCoordinate, mark, type Drawing } from '../mark.ts';
import type { Palette } from '../palette.ts';
import { linear } from '../scale.ts';

export interface Bars {
  title: string;
  width: number;
  height: number;
  /** Value of each bar, from the left. */
  values: readonly number[];
  /** Quantity of the values, with its unit. */
  label: string;
  /** Formats a value. */
  format: (value: number) => string;
  /** Bars with a text below them. */
  ticks: readonly { index: number; words: string }[];
  /** Index of the bar under the pointer. */
  marked?: number | null;
}

export const barsFrame = ({ width, height }: Pick<Bars, 'width' | 'height'>): Frame => ({
  left: 64,
  right: width - 8,
  top: 28,
  bottom: height - 24,
});

/** The bar at a pixel; null outside of the plot. */
export function barAt(bars: Pick<Bars, 'width' | 'height' | 'values'>, x: number): number | null {
  const { left, right } = barsFrame(bars);
  if (x < left || x >= right || bars.values.length === 0) return null;
  return Math.floor(((x - left) / (right - left)) * bars.values.length);
}

/** Amounts of consecutive periods. */
export function barsDrawing(bars: Bars, palette: Palette): Drawing {
  const { width, height, values, label, format, ticks, marked = null } = bars;
  const frame = barsFrame(bars);
  const scale = linear({ low: 0, high: Math.max(...values, 0) || 1, from: frame.bottom, to: frame.top, most: 4 });
  const each = (frame.right - frame.left) / Math.max(1, values.length);
  const gap = each > 4 ? Math.min(3, each * 0.2) : 0;
  const x = linear({ low: 0, high: values.length || 1, from: frame.left, to: frame.right });
  const bottom = roundCoordinate(frame.bottom);
  const boxWidth = roundCoordinate(each - gap);
  const boxes = values.map((value, index) => {
    if (!(value > 0)) return '';
    const left = roundCoordinate(x.of(index) + gap / 2);
    const top = roundCoordinate(Math.min(scale.of(value), frame.bottom - 1));
    return `M${left} ${bottom}V${top}h${boxWidth}V${bottom}z`;
  });
  const under = { ...x, ticks: ticks.map(({ index }) => index + 0.5) };
  const marks = [
    ...valueAxis(frame, { scale, texts: scale.ticks.map(format), label }, palette),
    mark('path', { d: boxes.join(''), fill: palette('accent') }),
  ];
  const markedBox = marked === null ? undefined : boxes[marked];
  if (markedBox !== undefined) marks.push(mark('path', { d: markedBox, fill: palette('ink') }));
  marks.push(...alongAxis(frame, { scale: under, texts: ticks.map(({ words }) => words) }, palette));
  return { width, height, title: bars.title, marks };
}
