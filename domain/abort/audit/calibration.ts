import { type AbortChoice, abortOf, ruleText } from '../table.ts';
import { countRuns, falseAborts, NO_COUNTS, wrongStops, type AuditCounts } from './counts.ts';
import { evidenceOf, lowerLimit } from './evidence.ts';
import { finePercent } from '../../text/format.ts';

/** Evidence from which a rule is tightened: within its target it is reached with probability at most 1/5. */
const TIGHTEN = 5;
/** Evidence from which it is switched off: at most 1/20. */
const OFF = 20;
const TIGHTENED = 2;
/** What of the stake is on false aborts, which the target bounds; the rest is on wrong stops. */
const ON_FALSE_ABORTS = 0.8;
/** Error of the limits that a note tells. */
const DELTA = 0.05;

/** What the audit has counted, and the largest evidence so far; plain JSON. */
export interface Calibration {
  counts: AuditCounts;
  largest: number;
}

/** An ended run that counts: a survivor, an audited would-be abort, or one that was stopped. */
export interface AuditResult {
  /** It beat the incumbent that it was judged by; null for one that was stopped. */
  good: boolean | null;
  /** Probability with which its would-be abort was audited; null for a run that the rule let live. */
  auditProbability: number | null;
  /** Share of good runs that may be aborted, and of would-be aborts that may end well. */
  target: number;
}

export const NOT_AUDITED: Calibration = { counts: NO_COUNTS, largest: 1 };

/**
 * The process after one more run. Null: of runs that end well the rule aborts at most `target`, and of its would-be aborts
 * at most `target` end well, on average over the runs so far. Both shares are weighted by the inverse of the audit's
 * probabilities (`evidenceOf`); the evidence is the mean of both processes by their stakes, so it ever reaches 1/δ with
 * probability at most δ, and may be looked at after every run.
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
 * What the evidence asks for: how strict the rule is to be from now on (null: off), and a note for people. A rule that
 * cannot be made stricter goes off where another is tightened. The evidence reaches {@link OFF} at the latest where the
 * lower limit of false aborts is above the target at 96 %, or that of wrong stops at 99 %.
 */
export function decideStrictness(
  { largest, counts }: Calibration,
  rule: AbortChoice,
): { strictness: number | null; note: string | null } {
  if (largest < TIGHTEN) return { strictness: 1, note: null };
  const seen = words(counts);
  if (largest >= OFF) return { strictness: null, note: `early abort is off: ${seen}` };
  if (!abortOf(rule).method.canTighten)
    return { strictness: null, note: `early abort is off: ${seen}; ${ruleText(rule)} cannot ask for more evidence` };
  return { strictness: TIGHTENED, note: `early abort asks for twice the evidence: ${seen}` };
}

/** "it would have stopped 34 % (≥ 5 %) of the runs that end well, and 12 % (≥ 2 %) of its would-be stops end well, …". */
function words(counts: AuditCounts): string {
  const lost = finePercent(falseAborts(counts) ?? 0);
  const wrong = finePercent(wrongStops(counts) ?? 0);
  const [lostLow, wrongLow] = (['falseAborts', 'wrongStops'] as const).map((kind) =>
    finePercent(lowerLimit(kind, counts, DELTA)),
  );
  const seen = counts.wanted.reduce((sum, { good }) => sum + good, 0);
  return (
    `it would have stopped ${lost} of the runs that end well (at least ${lostLow}), and ${wrong} of its would-be stops ` +
    `end well (at least ${wrongLow}), by ${seen} seen, weighted by audit probability, limits of 95 %`
  );
}
