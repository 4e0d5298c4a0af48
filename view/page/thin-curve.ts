/** Points of a curve as columns; null: not finite. */
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

/** Points that a stretch of a thinned curve keeps at most: its lowest, its highest, and the first that is not finite. */
const KEPT = 3;

/** A curve of at most so many points, at least eight: the first and the last one, and the extremes of equal stretches between. */
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
    const from = 1 + Math.floor((stretch * inner) / stretches);
    const to = 1 + Math.floor(((stretch + 1) * inner) / stretches);
    kept.push(...extremesOf(points, from, to));
  }
  return [...new Set(kept)].sort((a, b) => a - b).flatMap((at) => points[at] ?? []);
}

/** Indices of the lowest and the highest value of a stretch, and of the first that is not finite. */
function extremesOf(points: readonly Point[], from: number, to: number): number[] {
  let [low, high, wild] = [-1, -1, -1];
  for (let at = from; at < to; at += 1) {
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

/** The stretch of time that is shown, a day at most: up to its end, or to now; from its beginning, or for a day. ISO. */
export function ganttSpan(now: Date, asked: { from?: string | undefined; to?: string | undefined }) {
  const from = asked.from === undefined ? null : Date.parse(asked.from);
  const wanted =
    asked.to === undefined
      ? from === null
        ? now.getTime()
        : Math.min(now.getTime(), from + DAY_MS)
      : Date.parse(asked.to);
  // Postgres writes years before the first one in another way.
  const to = Math.max(wanted, DAY_MS);
  const begin = Math.max(from ?? -Infinity, to - DAY_MS);
  return { from: new Date(Math.min(begin, to)).toISOString(), to: new Date(to).toISOString() };
}
