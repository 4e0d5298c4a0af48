/** Pieces in which time is counted. One that took so much longer was slept through, and counts no more than it should have. */
const PIECE_MS = 500;
const SLEPT_MS = 1000;
/** After a last piece that was late by more than that, others are heard first, for so long. */
const LATE_MS = 50;
const HEAR_MS = 100;

/** A time that is up once. */
export interface AwakeTimer {
  clear: () => void;
}

/**
 * Calls back when this process has been awake for so long. A worker that is stopped for a while, or whose machine is, hears
 * nobody meanwhile; when it wakes, its timers are heard first, before what others said in time.
 */
export function awakeTimeout(milliseconds: number, onDue: () => void): AwakeTimer {
  let timer: NodeJS.Timeout;
  let left = milliseconds;
  const count = (): void => {
    const piece = Math.min(left, PIECE_MS);
    const from = performance.now();
    timer = setTimeout(() => {
      const late = performance.now() - from - piece;
      left -= late < SLEPT_MS ? piece + Math.max(0, late) : piece;
      if (left > 0) count();
      else if (late > LATE_MS) timer = setTimeout(onDue, HEAR_MS);
      else onDue();
    }, piece);
  };
  count();
  return { clear: () => clearTimeout(timer) };
}
