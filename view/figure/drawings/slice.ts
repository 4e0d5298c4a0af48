import { textMark, valueAxis, type Frame } from '../axes.ts';
import { mark, roundCoordinate, type Drawing } from '../mark.ts';
import type { Palette } from '../palette.ts';
import { linear } from '../scale.ts';
import { visibleLine } from '../visible-line.ts';

export interface Slice {
  title: string;
  /** Parts of a knob's range, from its low end. */
  parts: readonly { from: string; to: string; median: number | null; interval: readonly [number, number] | null }[];
  /** Range of values that all slices share. */
  range: { low: number; high: number };
  width: number;
  height: number;
}

/** Medians of the parts of a knob's range, with their intervals. A dot without an interval is hollow. */
export function sliceDrawing({ title, parts, range, width, height }: Slice, palette: Palette): Drawing {
  const frame: Frame = { left: 52, right: width - 10, top: 10, bottom: height - 20 };
  const y = linear({ ...range, from: frame.bottom, to: frame.top, most: 4 });
  const each = (frame.right - frame.left) / Math.max(1, parts.length);
  const dots = parts.flatMap(({ median, interval }, index) => {
    if (median === null) return [];
    const x = roundCoordinate(frame.left + (index + 0.5) * each);
    const dot = mark('circle', {
      cx: x,
      cy: roundCoordinate(y.of(median)),
      r: 3.5,
      fill: palette(interval === null ? 'surface' : 'accent'),
      stroke: palette('accent'),
    });
    if (interval === null) return [dot];
    const [low, high] = interval.map((end) => roundCoordinate(y.of(end)));
    return [mark('path', { d: `M${x} ${low}V${high}`, stroke: palette('line-strong'), 'stroke-width': 3 }), dot];
  });
  const under = { y: height - 5, fill: palette('ink-2'), size: 10 };
  const marks = [
    ...valueAxis(frame, { scale: y }, palette),
    ...dots,
    textMark({ ...under, x: frame.left, anchor: 'start' }, visibleLine(parts[0]?.from ?? '', 20)),
    textMark({ ...under, x: frame.right, anchor: 'end' }, visibleLine(parts.at(-1)?.to ?? '', 20)),
  ];
  return { width, height, title, marks };
}
