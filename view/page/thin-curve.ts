/** Points of a curve as columns; null if not finite. */
export interface CurveColumns {
  step: number[];
  elapsed: (number | null)[];
  value: (number | null)[];
}

interface Point {
  step: number;
  elapsed: number;
  value: number;
}

/** Largest number of points that a stretch keeps: its lowest, its highest, and the first that is not finite. */
const KEPT = 3;

/** Thins a curve to at most `most` points (≥ 8): the first, the last, and the extremes of equal stretches between. */
export function thinCurve(points: readonly Point[], most: number): CurveColumns {
  const kept = points.length <= most ? points : extremes(points, most);
  return {
    step: kept.map(({ step }) => step),
    elapsed: kept.map(({ elapsed }) => (Number.isFinite(elapsed) ? elapsed : null)),
    value: kept.map(({ value }) => (Number.isFinite(value) ? value : null)),
  };
}

function extremes(points: readonly Point[], most: number): Point[] {
  const stretches = Math.floor((most - 2) / KEPT);
  const inner = points.length - 2;
  const kept = [0, points.length - 1];
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const start = 1 + Math.floor((stretch * inner) / stretches);
    const end = 1 + Math.floor(((stretch + 1) * inner) / stretches);
    kept.push(...extremesOf(points, start, end));
  }
  return [...new Set(kept)].sort((a, b) => a - b).flatMap((at) => points[at] ?? []);
}

/** Indices of the lowest, the highest and the first non-finite value of the stretch from `start` to before `end`. */
function extremesOf(points: readonly Point[], start: number, end: number): number[] {
  let [low, high, wild] = [-1, -1, -1];
  for (let at = start; at < end; at += 1) {
    const value = points[at]?.value ?? NaN;
    if (!Number.isFinite(value)) wild = wild < 0 ? at : wild;
    else {
      if (low < 0 || value < (points[low]?.value ?? Infinity)) low = at;
      if (high < 0 || value > (points[high]?.value ?? -Infinity)) high = at;
    }
  }
  return [low, high, wild].filter((at) => at >= 0);
}

const DAY_MS = 86_400_000;

/**
 * The time span of a Gantt chart, at most a day, in ISO 8601. Without `asked.to` it ends a day after `asked.from`, at
 * most now; without `asked.from` it begins a day before its end.
 */
export function ganttSpan(now: Date, asked: { from?: string | undefined; to?: string | undefined }) {
  const from = asked.from === undefined ? null : Date.parse(asked.from);
  const end = asked.to === undefined ? defaultEnd(now, from) : Date.parse(asked.to);
  // Postgres writes years before year 1 in another format, so the span stays after 1970.
  const to = Math.max(end, DAY_MS);
  const begin = Math.max(from ?? -Infinity, to - DAY_MS);
  return { from: new Date(Math.min(begin, to)).toISOString(), to: new Date(to).toISOString() };
}

const defaultEnd = (now: Date, from: number | null): number =>
  from === null ? now.getTime() : Math.min(now.getTime(), from + DAY_MS);
