/** What one look adds to a silence at most, in seconds: in a longer gap nobody looked (a worker froze, a machine slept). */
const LONGEST_GAP = 3;

/** How long a run has been seen to say nothing: only time in which somebody looked counts. Plain JSON. */
export interface Silence {
  /** Seconds without a line. */
  seconds: number;
  /** The last look or line, in seconds of a clock that never goes back; null before the first. */
  at: number | null;
}

export const NOT_LOOKED: Silence = { seconds: 0, at: null };

/** After a line. */
export const afterLine = (now: number): Silence => ({ seconds: 0, at: now });

/** After a look that found no line. */
export const afterLook = ({ seconds, at }: Silence, now: number): Silence => ({
  seconds: seconds + (at === null ? 0 : Math.min(LONGEST_GAP, Math.max(0, now - at))),
  at: now,
});
