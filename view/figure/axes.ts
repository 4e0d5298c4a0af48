import { roundCoordinate, mark, type Mark } from './mark.ts';
import type { Palette } from './palette.ts';
import { tickTexts, type Scale } from './scale.ts';

/** The plot's rectangle, in pixels. */
export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Axis {
  scale: Scale;
  /** Text of each tick; if absent, the tick's number. */
  texts?: readonly string[];
  /** Quantity on the axis, with its unit. */
  label?: string;
}

const SIZE = 11;

/** Horizontal lines across the plot, with their values at the left. */
export function valueAxis(frame: Frame, { scale, texts, label }: Axis, palette: Palette): Mark[] {
  const shown = texts ?? tickTexts(scale.ticks);
  const lines = scale.ticks.flatMap((tick, index) => {
    const y = roundCoordinate(scale.of(tick));
    return [
      mark('path', {
        d: `M${roundCoordinate(frame.left)} ${y}H${roundCoordinate(frame.right)}`,
        stroke: palette('line'),
        'stroke-width': 1,
      }),
      textMark({ x: frame.left - 6, y: y + 4, anchor: 'end', fill: palette('ink-2') }, shown[index] ?? ''),
    ];
  });
  if (label === undefined) return lines;
  return [...lines, textMark({ x: frame.left - 6, y: frame.top - 8, fill: palette('ink-2') }, label, 'start')];
}

/** The horizontal axis below the plot, with its ticks. */
export function alongAxis(frame: Frame, { scale, texts, label }: Axis, palette: Palette): Mark[] {
  const shown = texts ?? tickTexts(scale.ticks);
  const y = roundCoordinate(frame.bottom);
  const ticks = scale.ticks.flatMap((tick, index) => {
    const x = roundCoordinate(scale.of(tick));
    return [
      mark('path', { d: `M${x} ${y}v4`, stroke: palette('line-strong') }),
      textMark({ x, y: y + 16, anchor: 'middle', fill: palette('ink-2') }, shown[index] ?? ''),
    ];
  });
  const line = mark('path', {
    d: `M${roundCoordinate(frame.left)} ${y}H${roundCoordinate(frame.right)}`,
    stroke: palette('line-strong'),
  });
  if (label === undefined) return [line, ...ticks];
  return [line, ...ticks, textMark({ x: frame.right, y: y + 30, anchor: 'end', fill: palette('ink-2') }, label)];
}

interface TextPosition {
  x: number;
  y: number;
  fill: string;
  anchor?: 'start' | 'middle' | 'end';
  size?: number;
  weight?: number;
}

/** A text element. `anchor`: the end of the text that is at x. */
export const textMark = (
  { x, y, fill, anchor, size = SIZE, weight }: TextPosition,
  text: string,
  side = anchor,
): Mark =>
  mark(
    'text',
    {
      x: roundCoordinate(x),
      y: roundCoordinate(y),
      fill,
      'font-size': size,
      'text-anchor': side,
      'font-weight': weight,
    },
    text,
  );

/** A stepped path: each value extends to the next x, the last one to `end`. */
export function stepsPath(x: readonly number[], y: readonly number[], end: number): string {
  const parts = x.map((from, index) =>
    index === 0
      ? `M${roundCoordinate(from)} ${roundCoordinate(y[0] ?? 0)}`
      : `H${roundCoordinate(from)}V${roundCoordinate(y[index] ?? 0)}`,
  );
  return x.length === 0 ? '' : `${parts.join('')}H${roundCoordinate(end)}`;
}
