import type { Phase } from '../research/phase.ts';
import { PROPOSAL_KINDS, type FailureLabel, type ShownVerdict, type TrialKind, type TrialStatus } from '../trial.ts';

/** State of a trial that an agent waits for. */
export interface Followed {
  /** Key of the idea; null if the trial was named by its number. */
  key: string | null;
  /** Null while the idea waits for its trial. */
  trial: {
    n: number;
    kind: TrialKind;
    /** Null until it ends. */
    status: TrialStatus | null;
    verdict: ShownVerdict | null;
    value: number | null;
    trusted: boolean | null;
    failure: FailureLabel | null;
    /** Reason of the verdict, or message of the failure. */
    reason: string | null;
    /** Stage of an open trial, in words. */
    now: string | null;
    /** True while its result waits for the baseline. */
    held: boolean;
  } | null;
  research: { id: string; phase: Phase; reason: string | null };
}

/** The event that ends a wait: the end of the run with its score, or the gate's verdict. */
export type Until = 'outcome' | 'verdict';

const FINAL: readonly ShownVerdict[] = ['keep', 'absorbed', 'discard'];

/** True if the event has come, or can come no more for this trial. */
export function isSettled({ trial }: Followed, until: Until): boolean {
  if (trial === null || trial.status === null) return false;
  if (until === 'outcome' || trial.status !== 'completed') return true;
  // Other kinds of trials measure a known candidate and get no verdict.
  if (!PROPOSAL_KINDS.includes(trial.kind)) return true;
  // A known candidate, and one that ran under an earlier metric, get no verdict.
  if (trial.verdict === null || trial.verdict === 'none') return !trial.held;
  // `confirm`: more runs decide.
  return FINAL.includes(trial.verdict);
}

const ENDED: readonly Phase[] = ['stopped', 'failed'];

/** True if the research has ended, so that nothing more happens until a person starts it again. */
export const hasEnded = ({ research }: Followed): boolean => ENDED.includes(research.phase);
