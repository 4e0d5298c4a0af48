import { alongAxis, valueAxis, type Frame } from '../axes.ts';
import { roundCoordinate, mark, type Drawing } from '../mark.ts';
import type { Palette } from '../palette.ts';
import { linear } from '../scale.ts';

export interface Bars {
  title: string;
  width: number;
  height: number;
  /** One for each bar, from the left. */
  values: readonly number[];
  /** What a value is, with its unit; and a value as text. */
  label: string;
  format: (value: number) => string;
  /** Bars under which a text stands. */
  ticks: readonly { index: number; words: string }[];
  /** A bar that a person looks at. */
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

/** Amounts of one stretch of time after another. */
export function barsDrawing(bars: Bars, palette: Palette): Drawing {
  const { width, height, values, label, format, ticks, marked = null } = bars;
  const frame = barsFrame(bars);
  const scale = linear({ low: 0, high: Math.max(...values, 0) || 1, from: frame.bottom, to: frame.top, most: 4 });
  const each = (frame.right - frame.left) / Math.max(1, values.length);
  const gap = each > 4 ? Math.min(3, each * 0.2) : 0;
  const x = linear({ low: 0, high: values.length || 1, from: frame.left, to: frame.right });
  const boxes = values.map((value, index) => {
    const y = scale.of(Math.max(0, value));
    const left = x.of(index) + gap / 2;
    return value > 0
      ? `M${roundCoordinate(left)} ${roundCoordinate(frame.bottom)}V${roundCoordinate(Math.min(y, frame.bottom - 1))}h${roundCoordinate(each - gap)}V${roundCoordinate(frame.bottom)}z`
      : '';
  });
  const under = { ...x, ticks: ticks.map(({ index }) => index + 0.5) };
  return {
    ...{ width, height, title: bars.title },
    marks: [
      ...valueAxis(frame, { scale, texts: scale.ticks.map(format), label }, palette),
      mark('path', { d: boxes.join(''), fill: palette('accent') }),
      ...(marked === null || boxes[marked] === undefined
        ? []
        : [mark('path', { d: boxes[marked] ?? '', fill: palette('ink') })]),
      ...alongAxis(frame, { scale: under, texts: ticks.map(({ words }) => words) }, palette),
    ],
  };
}
