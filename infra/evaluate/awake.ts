/** Pieces in which time is counted; one that took so much longer was slept through. */
const PIECE_MS = 500;
const SLEPT_MS = 1000;

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
      if (performance.now() - from < piece + SLEPT_MS) left -= piece;
      if (left <= 0) onDue();
      else count();
    }, piece);
  };
  count();
  return { clear: () => clearTimeout(timer) };
}
