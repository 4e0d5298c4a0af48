/** First points of a run that are all kept, about 2 MB of the database. Later points are thinned. */
export const KEPT_ALL = 20_000;
/** Share of the budget between two thinned points: the rules look at fortieths. */
const SPACING = 1 / 1000;
/** Most thinned points: enough for a run that takes twice its budget. */
const MOST_THINNED = 2 / SPACING;

/** The last point that was kept after the first {@link KEPT_ALL}; plain JSON. */
export interface ThinningState {
  share: number;
  /** A point without a share followed it: its print time is unknown, and the rules must see that gap. */
  gap: boolean;
}

export const INITIAL_THINNING: ThinningState = { share: -SPACING, gap: false };

/**
 * Returns the state after a point at this share of the budget, or null if the point is dropped. `kept` counts the
 * points kept so far. However many lines a run prints at first, the rules see the later part of its curve.
 */
export function keepPoint(kept: number, share: number, last: ThinningState): ThinningState | null {
  if (kept < KEPT_ALL) return last;
  if (kept >= KEPT_ALL + MOST_THINNED) return null;
  if (Number.isNaN(share)) return last.gap ? null : { ...last, gap: true };
  return share >= last.share + SPACING ? { share, gap: false } : null;
}
