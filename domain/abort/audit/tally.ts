import { signOf } from '../curve.ts';
import type { AbortRecord } from '../record.ts';
import type { Direction } from '../types.ts';
import { estimate, type AuditEstimate } from './estimate.ts';

/** What early abort has done in a research, and what it may have cost. */
export interface AbortTally {
  /** Runs that were stopped, and the seconds of slots that they would still have taken. */
  stopped: number;
  savedSeconds: number;
  audit: AuditEstimate;
}

/** A judged run; `value` is null where it was stopped or gave none. */
export interface JudgedRun {
  record: AbortRecord;
  value: number | null;
}

/** Null where no run was judged. A run that went to its end was good if it beat what it was judged by. */
export function tally(
  runs: readonly JudgedRun[],
  { direction, target }: { direction: Direction; target: number },
): AbortTally | null {
  if (runs.length === 0) return null;
  const sign = signOf(direction);
  const stopped = runs.filter(({ record }) => record.abort && !record.audited);
  const whole = runs.flatMap(({ record, value }) =>
    value === null || record.incumbent === null
      ? []
      : [{ good: sign * value < sign * record.incumbent, probability: record.auditProbability }],
  );
  return {
    stopped: stopped.length,
    savedSeconds: stopped.reduce((sum, { record }) => sum + leftOf(record), 0),
    audit: estimate(whole, target),
  };
}

/** Seconds that a run still had before it, at the pace that it had had. */
const leftOf = ({ share, elapsed }: AbortRecord): number =>
  share !== null && share > 0 && share < 1 ? elapsed * (1 / share - 1) : 0;
