import type { Point, PointReader } from '../../../domain/metric/read-points.ts';
import type { WithinTime } from '../../../infra/within-time.ts';

/** Milliseconds for all lines of a piece of output: thousands of honest lines take a few. */
const TOGETHER_MS = 300;
/** For one line, tried twice: a busy machine is slow, too. */
const ALONE_MS = [200, 1000] as const;
/** Lines of a run that may be given up before its lines are no longer read at all. */
const MOST_SKIPPED = 3;

/** Reads lines by a task's own expression, which may take for ever on what a run prints. */
export interface GuardedReader {
  /** For each line its point; null without one, and for a line that takes too long. */
  read(lines: readonly string[]): (Point | null)[];
  /** Lines that took too long so far. */
  skipped: number;
}

/** `skipped`: lines that were given up before, by whoever read the run up to here. */
export function createGuardedReader(from: {
  reader: PointReader;
  withinTime: WithinTime;
  skipped: number;
}): GuardedReader {
  const { reader, withinTime } = from;
  const alone = (line: string): Point | null => {
    for (const milliseconds of ALONE_MS) {
      if (guarded.skipped >= MOST_SKIPPED) return null;
      const read = withinTime(milliseconds, () => reader.push(line));
      if (read.done) return read.value;
    }
    guarded.skipped += 1;
    return null;
  };
  const guarded: GuardedReader = {
    skipped: from.skipped,
    read: (lines) => {
      if (guarded.skipped >= MOST_SKIPPED) return lines.map(() => null);
      const all = withinTime(TOGETHER_MS, () => lines.map((line) => reader.push(line)));
      return all.done ? all.value : lines.map(alone);
    },
  };
  return guarded;
}
