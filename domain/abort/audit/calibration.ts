import { type AbortChoice, abortOf, ruleText } from '../table.ts';
import { countRuns, falseAborts, NO_COUNTS, wrongStops, type AuditCounts } from './counts.ts';
import { evidenceOf, lowerLimit } from './evidence.ts';
import { finePercent } from '../../text/format.ts';
import { plural } from '../../text/plural.ts';

/** Evidence at which a rule is tightened. A rule within its target reaches it with probability at most 1/5. */
const TIGHTEN = 5;
/** Evidence at which a rule is switched off; probability at most 1/20. */
const OFF = 20;
/** Strictness of a tightened rule. */
const TIGHTENED = 2;
/** Share of the stake on false aborts, which the target bounds; the rest is on wrong stops. */
const ON_FALSE_ABORTS = 0.8;
/** Error of the limits in a note. */
const DELTA = 0.05;

/** Counts of the audit, and the largest evidence so far; plain JSON. */
export interface Calibration {
  counts: AuditCounts;
  largest: number;
}

/** An ended run that counts: a survivor, an audited would-be abort, or one that was stopped. */
export interface AuditResult {
  /** The run beat the incumbent that it was judged by; null if it was stopped. */
  good: boolean | null;
  /** Probability with which the run's would-be abort was audited; null for a run that the rule let live. */
  auditProbability: number | null;
  /** Share of good runs that may be aborted, and of would-be aborts that may end well. */
  target: number;
}

export const NOT_AUDITED: Calibration = { counts: NO_COUNTS, largest: 1 };

/**
 * Returns the calibration after one more run. The null hypothesis, on average over the runs so far: of runs that end
 * well the rule aborts at most `target`, and of its would-be aborts at most `target` end well. Both shares are weighted
 * by the inverse of the audit's probabilities (`evidenceOf`). The evidence is the mean of both processes, weighted by
 * stakes. So it ever reaches 1/δ with probability at most δ, and may be checked after every run.
 */
export function updateCalibration(state: Calibration, { good, auditProbability, target }: AuditResult): Calibration {
  if (auditProbability === null && good !== true) return state;
  const counts = countRuns(state.counts, { good, probability: auditProbability });
  const evidence =
    ON_FALSE_ABORTS * evidenceOf('falseAborts', counts, target) +
    (1 - ON_FALSE_ABORTS) * evidenceOf('wrongStops', counts, target);
  return { counts, largest: Math.max(state.largest, evidence) };
}

/**
 * Returns the rule's strictness from now on (null: off), and a note for people. A rule that cannot be made stricter is
 * switched off at the evidence that tightens another. The evidence reaches {@link OFF} at the latest when the lower
 * limit of false aborts is above the target at 96 %, or that of wrong stops at 99 %.
 */
export function decideStrictness(
  { largest, counts }: Calibration,
  rule: AbortChoice,
): { strictness: number | null; note: string | null } {
  if (largest < TIGHTEN) return { strictness: 1, note: null };
  const errors = describeErrors(counts);
  if (largest >= OFF) return { strictness: null, note: `early abort is off: ${errors}` };
  if (!abortOf(rule).method.canTighten)
    return { strictness: null, note: `early abort is off: ${errors}; ${ruleText(rule)} has no stricter setting` };
  return { strictness: TIGHTENED, note: `early abort now requires twice the evidence: ${errors}` };
}

/** "it would have stopped 34 % of the good runs (at least 5 %), and 12 % of its would-be stops are wrong (…); …". */
function describeErrors(counts: AuditCounts): string {
  const lost = finePercent(falseAborts(counts) ?? 0);
  const wrong = finePercent(wrongStops(counts) ?? 0);
  const [lostLow, wrongLow] = (['falseAborts', 'wrongStops'] as const).map((kind) =>
    finePercent(lowerLimit(kind, counts, DELTA)),
  );
  const wrongCount = counts.wanted.reduce((sum, { good }) => sum + good, 0);
  return (
    `it would have stopped ${lost} of the good runs (at least ${lostLow}), and ` +
    `${wrong} of its would-be stops are wrong (at least ${wrongLow}); ` +
    `estimated from ${plural(wrongCount, 'wrong stop')}, weighted by audit probability, with limits of 95 %`
  );
}
