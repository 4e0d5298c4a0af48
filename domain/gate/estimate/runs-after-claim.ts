/** Runs of the incumbent that no race selects. A race ends as soon as it is won, so the runs of the race are lucky. */
export const RUNS_AFTER_CLAIM = 4;
