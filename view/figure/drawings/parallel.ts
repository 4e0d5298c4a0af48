import { textMark } from '../axes.ts';
import { mark, roundCoordinate, type Drawing, type Mark } from '../mark.ts';
import type { Palette } from '../palette.ts';
import { visibleLine } from '../visible-line.ts';

export interface Parallel {
  title: string;
  /** Axes from the left, with the texts of their ends. */
  axes: readonly { name: string; low: string; high: string }[];
  /** Candidates; each has a position from 0 (low) to 1 (high) on each axis, or null. */
  lines: readonly { positions: readonly (number | null)[]; isTop: boolean }[];
  width: number;
  height: number;
}

/** Most characters of a text at an axis. */
const CHARACTERS = 14;

const short = (text: string): string => visibleLine(text, CHARACTERS);

/** Parallel coordinates: an axis for each knob, a line for each candidate. Lines of the top are in front. */
export function parallelDrawing({ title, axes, lines, width, height }: Parallel, palette: Palette): Drawing {
  const [top, bottom, side] = [36, height - 20, Math.min(56, width / 6)];
  const each = axes.length < 2 ? 0 : (width - 2 * side) / (axes.length - 1);
  const xOf = (index: number): number => (axes.length < 2 ? width / 2 : side + index * each);
  const yOf = (position: number): number => bottom - position * (bottom - top);
  const pathOf = (positions: readonly (number | null)[]): string => {
    let isOpen = false;
    return positions
      .map((position, index) => {
        if (position === null) {
          isOpen = false;
          return '';
        }
        const step = `${isOpen ? 'L' : 'M'}${roundCoordinate(xOf(index))} ${roundCoordinate(yOf(position))}`;
        isOpen = true;
        return step;
      })
      .join('');
  };
  const drawn = (isTop: boolean): Mark =>
    mark('path', {
      d: lines.map((line) => (line.isTop === isTop ? pathOf(line.positions) : '')).join(''),
      fill: 'none',
      stroke: palette(isTop ? 'accent' : 'line-strong'),
      'stroke-width': isTop ? 1.6 : 0.8,
      'stroke-linejoin': 'round',
    });
  const axisMarks = axes.flatMap(({ name, low, high }, index) => {
    const x = xOf(index);
    // Names of neighbours stand at different heights, so that they may be wider than the space between axes.
    const nameY = index % 2 === 0 ? 11 : 23;
    return [
      mark('path', { d: `M${roundCoordinate(x)} ${top}V${bottom}`, stroke: palette('ink-2') }),
      textMark({ x, y: nameY, fill: palette('ink'), anchor: 'middle', weight: 600 }, short(name)),
      textMark({ x: x + 4, y: top + 4, fill: palette('ink-2'), anchor: 'start', size: 10 }, short(high)),
      textMark({ x, y: bottom + 13, fill: palette('ink-2'), anchor: 'middle', size: 10 }, short(low)),
    ];
  });
  return { width, height, title, marks: [drawn(false), drawn(true), ...axisMarks] };
}
