/** Interval between the beats of a worker. */
export const BEAT_MS = 10_000;
/** Age of a beat, or of a workflow task without a worker, from which something stands still: three missed beats. */
export const STILL_SECONDS = 30;
