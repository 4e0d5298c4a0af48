import type { Point, PointReader } from '../../../domain/metric/read-points.ts';
import type { WithinTime } from '../../../infra/within-time.ts';

/** Time limit for all lines of a chunk together. Thousands of ordinary lines take a few milliseconds. */
const TOGETHER_MS = 300;
/** Time limits for a single line, tried in order: on a busy machine the first may be too short. */
const ALONE_MS = [200, 1000] as const;
/** Skipped lines of a run after which none of its lines is read any more. */
const MOST_SKIPPED = 3;

/** Reads lines with a task's own regular expression under a time limit: on some output it would take for ever. */
export interface GuardedReader {
  /** The point of each line; null for a line without a point, and for a line that takes too long. */
  read(lines: readonly string[]): (Point | null)[];
  /** Lines that took too long so far. */
  skipped: number;
}

/** `skipped`: lines of the run that earlier attempts skipped. */
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
