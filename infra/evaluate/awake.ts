/** Length of the timers that count the time. */
const PIECE_MS = 500;
/** Delay of a timer from which on the process was asleep; such a timer counts with its planned length only. */
const SLEPT_MS = 1000;
/** Delay of the last timer from which on pending input is read before the callback. */
const LATE_MS = 50;
/** Time for reading pending input. */
const READ_MS = 100;

/** A timer that fires at most once. */
export interface AwakeTimer {
  clear: () => void;
}

/**
 * Calls back after this process has been awake for `milliseconds`. A stopped process, or one on a suspended machine,
 * reads no input. When it continues, Node runs timers before it reads input that came in time, so the callback waits.
 */
export function awakeTimeout(milliseconds: number, onDue: () => void): AwakeTimer {
  let timer: NodeJS.Timeout;
  let remaining = milliseconds;
  const count = (): void => {
    const piece = Math.min(remaining, PIECE_MS);
    const began = performance.now();
    timer = setTimeout(() => {
      const late = performance.now() - began - piece;
      remaining -= late < SLEPT_MS ? piece + Math.max(0, late) : piece;
      if (remaining > 0) count();
      else if (late > LATE_MS) timer = setTimeout(onDue, READ_MS);
      else onDue();
    }, piece);
  };
  count();
  return { clear: () => clearTimeout(timer) };
}
