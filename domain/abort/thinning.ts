/** Points of a run that are all kept, some 2 MB of the database; of those behind them few are. */
export const KEPT_ALL = 20_000;
/** Share of the budget between two points that are kept behind them: the rules look at fortieths. */
const APART = 1 / 1000;
/** They are that many at most: of a run that goes on for twice its budget. */
const MOST_BEHIND = 2 / APART;

/** The last point that was kept behind {@link KEPT_ALL}; plain JSON. */
export interface ThinningState {
  share: number;
  /** A point that has no share followed it: nobody saw when it was printed, and a rule has to know of that gap. */
  gap: boolean;
}

export const INITIAL_THINNING: ThinningState = { share: -APART, gap: false };

/**
 * Whether a point at this share of the budget is kept, after so many that were: the state after it, or null. However many
 * lines a run prints at first, the rules see what comes later.
 */
export function keepPoint(kept: number, share: number, last: ThinningState): ThinningState | null {
  if (kept < KEPT_ALL) return last;
  if (kept >= KEPT_ALL + MOST_BEHIND) return null;
  if (Number.isNaN(share)) return last.gap ? null : { ...last, gap: true };
  return share >= last.share + APART ? { share, gap: false } : null;
}
