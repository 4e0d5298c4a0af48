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
