/** Ended trials as columns of equal length, in the order of their numbers. */
export interface EndedTrials {
  n: Int32Array;
  /** Ends, in seconds since the research began. */
  at: Float64Array;
  /** Values; NaN without a comparable value. */
  value: Float64Array;
  /** Indices into `OUTCOMES`. */
  outcome: Uint8Array;
  /** 1 for trials that count for the best run of a proposal. */
  proposes: Uint8Array;
  /** Spend of each trial in the unit of the axis; 0 for the axes `trial` and `time`. */
  spent: Float64Array;
}

/** Columns for that many trials, to be filled. */
export const endedColumns = (count: number): EndedTrials => ({
  n: new Int32Array(count),
  at: new Float64Array(count),
  value: new Float64Array(count),
  outcome: new Uint8Array(count),
  proposes: new Uint8Array(count),
  spent: new Float64Array(count),
});

/** Moves for each trial, on average, after which a sort by comparison is cheaper. */
const MOST_MOVES = 64;

/**
 * Indices of the trials in the order of their ends; of equal ends, the lower index comes first. Trials end nearly in
 * the order of their numbers, so each one moves past a few others only.
 */
export function orderOfEnds(at: Float64Array): Int32Array {
  const order = Int32Array.from(at, (_, index) => index);
  let moves = at.length * MOST_MOVES;
  for (let next = 1; next < order.length && moves >= 0; next += 1) {
    const end = at[next] ?? 0;
    let place = next;
    for (; place > 0 && (at[order[place - 1] ?? 0] ?? 0) > end; place -= 1) order[place] = order[place - 1] ?? 0;
    order[place] = next;
    moves -= next - place;
  }
  return moves >= 0 ? order : order.sort((a, b) => (at[a] ?? 0) - (at[b] ?? 0) || a - b);
}
