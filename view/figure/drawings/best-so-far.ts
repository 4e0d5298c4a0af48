import { plural } from '../../../domain/text/plural.ts';
import { alongAxis, stepsPath, textMark, valueAxis, type Frame } from '../axes.ts';
import { roundCoordinate, mark, type Drawing, type Mark } from '../mark.ts';
import type { Palette, Role } from '../palette.ts';
import { linear, type Scale } from '../scale.ts';
import { shapesPath, SHAPES, type Shape } from '../shapes.ts';

/** A kind of dots; each dot has the index of its kind. */
export interface DotKind {
  word: string;
  role: Role;
  shape: Shape;
}

export interface BestSoFar {
  title: string;
  /** Quantities on the axes, with their units. */
  labels: { x: string; y: string };
  direction: 'minimize' | 'maximize';
  kinds: readonly DotKind[];
  /** Gives the texts of the ticks on the x axis. */
  xTexts: (ticks: readonly number[]) => readonly string[];
  dots: { x: readonly number[]; value: readonly (number | null)[]; outcome: readonly number[] };
  rawBest: { x: readonly number[]; value: readonly number[] };
  claims: {
    x: readonly number[];
    value: readonly number[];
    low: readonly (number | null)[];
    high: readonly (number | null)[];
  };
  baseline: { value: number; sd: number | null } | null;
  optimum: number | null;
  end: number;
}

const SIZE = { width: 960, height: 470 };
const FRAME: Frame = { left: 70, right: 940, top: 64, bottom: 400 };
/** Largest numbers of dots of one kind, for a small file: a dot takes 13 characters, another shape up to 60. */
const MOST = { dot: 4000, other: 600 };

/** The history of a research: trials, claims with 95 % intervals, the best run of a proposal, the baseline's noise. */
export function bestSoFar(given: BestSoFar, palette: Palette): Drawing {
  const x = linear({ low: 0, high: Math.max(given.end, 1e-9), from: FRAME.left, to: FRAME.right, most: 8 });
  const { low, high } = rangeOf(given);
  const y = linear({ low, high, from: FRAME.bottom, to: FRAME.top, most: 8 });
  const scales = { x, y };
  const { marks, beyond } = dotMarks(given, scales, palette);
  const omitted = describeOmitted(beyond, given.dots.value.filter((value) => value === null).length);
  const all = [
    mark('rect', { ...SIZE, fill: palette('surface') }),
    textMark({ x: 12, y: 20, fill: palette('ink'), size: 14, weight: 600 }, given.title),
    ...noiseBand(given, y, palette),
    ...valueAxis(FRAME, { scale: y, label: given.labels.y }, palette),
    ...alongAxis(FRAME, { scale: x, texts: given.xTexts(x.ticks), label: given.labels.x }, palette),
    ...marks,
    ...lineMarks(given, scales, palette),
    ...legend(given, palette),
  ];
  if (omitted !== '') all.push(textMark({ x: FRAME.left, y: 430, fill: palette('ink-2') }, omitted));
  return { ...SIZE, title: given.title, marks: all };
}

/** Describes the trials that are not drawn; empty if all are. */
function describeOmitted(beyond: number, failed: number): string {
  const texts: string[] = [];
  if (beyond > 0) texts.push(`${plural(beyond, 'trial')} outside this range`);
  if (failed > 0) texts.push(`${plural(failed, 'trial')} without a value`);
  return texts.join(', ');
}

interface Scales {
  x: Scale;
  y: Scale;
}

/** Range of the values to draw: all on the better side, all claims and the noise band, and 90 % on the worse side. */
function rangeOf({ dots, claims, rawBest, baseline, direction, optimum }: BestSoFar) {
  const values = dots.value.filter((value): value is number => value !== null).sort((a, b) => a - b);
  const quantile = (share: number) =>
    values.length === 0 ? [] : [values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0];
  const spread = direction === 'minimize' ? [...quantile(0), ...quantile(0.9)] : [...quantile(0.1), ...quantile(1)];
  const band =
    baseline === null ? [] : [baseline.value - 2 * (baseline.sd ?? 0), baseline.value + 2 * (baseline.sd ?? 0)];
  const known = [...claims.low, ...claims.high, ...claims.value, ...rawBest.value, optimum].filter(
    (value) => value !== null,
  );
  const all = [...spread, ...band, ...known];
  const [low, high] = all.length === 0 ? [0, 1] : [Math.min(...all), Math.max(...all)];
  return { low: low - (high - low) * 0.04, high: high + (high - low) * 0.04 };
}

export type Point = readonly [number, number];

/** Distance in pixels below which two dots of one kind look like one. */
const FINEST = 1;

/**
 * Reduces points to at most `most` without changing the picture: the first point in each cell of a grid, as fine as
 * `most` allows. Returns all points if they are few enough.
 */
export function thinPoints(points: readonly Point[], most: number): readonly Point[] {
  if (points.length <= most) return points;
  for (let cell = FINEST; ; cell *= 1.3) {
    const kept = new Map<string, Point>();
    for (const point of points) {
      const key = `${Math.floor(point[0] / cell)},${Math.floor(point[1] / cell)}`;
      if (!kept.has(key)) kept.set(key, point);
    }
    if (kept.size <= most) return [...kept.values()];
  }
}

function dotMarks({ dots, kinds }: BestSoFar, { x, y }: Scales, palette: Palette): { marks: Mark[]; beyond: number } {
  const points = kinds.map((): Point[] => []);
  let beyond = 0;
  dots.value.forEach((value, index) => {
    if (value === null) return;
    if (value < y.low || value > y.high) {
      beyond += 1;
      return;
    }
    points[dots.outcome[index] ?? 0]?.push([x.of(dots.x[index] ?? 0), y.of(value)]);
  });
  const marks = kinds.flatMap(({ shape, role }, kind) => {
    const shown = thinPoints(points[kind] ?? [], shape === 'dot' ? MOST.dot : MOST.other);
    return shown.length === 0 ? [] : [shapeMark(shape, shown, palette(role))];
  });
  // Reversed, so that the first kinds, which are rare and good, are drawn on top.
  return { marks: marks.reverse(), beyond };
}

function shapeMark(shape: Shape, points: readonly Point[], colour: string): Mark {
  const { filled } = SHAPES[shape];
  const line = shape === 'dot' ? { 'stroke-width': 3, 'stroke-linecap': 'round' } : { 'stroke-width': 1.3 };
  return mark('path', { d: shapesPath(shape, points), fill: filled ? colour : 'none', stroke: colour, ...line });
}

function noiseBand({ baseline }: BestSoFar, y: Scale, palette: Palette): Mark[] {
  if (baseline === null) return [];
  const middle = roundCoordinate(y.of(baseline.value));
  const half = Math.abs(y.of(baseline.value + (baseline.sd ?? 0)) - y.of(baseline.value));
  const width = FRAME.right - FRAME.left;
  return [
    mark('rect', {
      x: FRAME.left,
      y: roundCoordinate(middle - half),
      width,
      height: roundCoordinate(2 * half),
      fill: palette('sunken'),
    }),
    mark('path', {
      d: `M${FRAME.left} ${middle}H${FRAME.right}`,
      stroke: palette('ink-2'),
      'stroke-dasharray': '5 4',
    }),
  ];
}

function lineMarks({ rawBest, claims, optimum, end }: BestSoFar, { x, y }: Scales, palette: Palette): Mark[] {
  const xs = claims.x.map(x.of);
  const last = x.of(end);
  const bands = claims.x.flatMap((_, index) => {
    const [low, high] = [claims.low[index] ?? null, claims.high[index] ?? null];
    if (low === null || high === null) return [];
    const [from, to] = [xs[index] ?? 0, xs[index + 1] ?? last];
    const [top, bottom] = [y.of(low), y.of(high)].sort((a, b) => a - b);
    const box = {
      x: roundCoordinate(from),
      y: roundCoordinate(top ?? 0),
      width: roundCoordinate(to - from),
      height: roundCoordinate((bottom ?? 0) - (top ?? 0)),
    };
    return [mark('rect', { ...box, fill: palette('claim'), 'fill-opacity': 0.16 })];
  });
  const marks: Mark[] = [...bands];
  if (optimum !== null)
    marks.push(
      mark('path', {
        d: `M${FRAME.left} ${roundCoordinate(y.of(optimum))}H${FRAME.right}`,
        stroke: palette('good'),
      }),
    );
  const raw = stepsPath(rawBest.x.map(x.of), rawBest.value.map(y.of), last);
  if (raw !== '') marks.push(mark('path', { d: raw, fill: 'none', stroke: palette('ink-2'), 'stroke-width': 1 }));
  marks.push(
    mark('path', {
      d: stepsPath(xs, claims.value.map(y.of), last),
      fill: 'none',
      stroke: palette('claim'),
      'stroke-width': 2.5,
    }),
  );
  return marks;
}

function legend({ kinds, dots, baseline, optimum }: BestSoFar, palette: Palette): Mark[] {
  const seen = new Set(dots.outcome);
  const shown = kinds.filter((_, kind) => seen.has(kind));
  const lines: [string, Role, number, string?][] = [
    ['claim with its 95 % interval', 'claim', 2.5],
    ['best run of a proposal, not corrected for selection', 'ink-2', 1],
  ];
  if (baseline !== null) lines.push(['baseline ± 1 sd of a run', 'ink-2', 1, '5 4']);
  if (optimum !== null) lines.push(['optimum', 'good', 1]);
  let nextX = 12;
  const place = (label: string) => {
    const x = nextX;
    nextX += 26 + label.length * 5.9;
    return x;
  };
  const linesNamed = lines.flatMap(([label, role, width, dashes]) => {
    const x = place(label);
    const line = { stroke: palette(role), 'stroke-width': width, 'stroke-dasharray': dashes };
    return [mark('path', { d: `M${x} 36h14`, ...line }), textMark({ x: x + 18, y: 40, fill: palette('ink-2') }, label)];
  });
  nextX = FRAME.left;
  const dotsNamed = shown.flatMap(({ word, role, shape }) => {
    const x = place(word) + 4;
    return [shapeMark(shape, [[x, 458]], palette(role)), textMark({ x: x + 8, y: 462, fill: palette('ink-2') }, word)];
  });
  return [...linesNamed, ...dotsNamed];
}
