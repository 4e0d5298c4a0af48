import type { Fault } from '../../domain/report/failure-fault.ts';
import type { FailureLabel, TrialStatus } from '../../domain/trial.ts';
import type { Attention } from '../attention/entry.ts';
import type { ArmView } from '../rows/arms.ts';
import type { StatusView } from '../status.ts';

/** Failures with one label in the period of a report. */
export interface ReportedFailure {
  label: FailureLabel;
  fault: Fault;
  count: number;
  /** Ends of the first and the last such trial, in ISO 8601. */
  first: string;
  last: string;
  /** Seconds on slots, and their share of all slot seconds of trials that ended in the period. */
  slotSeconds: number;
  share: number;
  /** The last such trial, and its message. */
  example: { n: number; message: string | null };
}

/** A claim that was made in the period. */
export interface ReportedClaim {
  seq: number;
  /** Search trial that it confirms; null for the unmodified version. */
  ofTrial: number | null;
  at: string;
  value: number;
  /** 95 % interval of the value; null if the noise is unknown. */
  low: number | null;
  high: number | null;
  /** Runs of the candidate. */
  runs: number;
  /** Gain over the claim before, positive if better; null for the first. */
  gain: number | null;
  hypothesis: string | null;
  reason: string;
  by: string;
  /** Unified diff of its files against the baseline's, by file. */
  diff: string;
}

/** A candidate that looks better than the claim, and is not claimed. */
export interface UnclaimedIdea {
  n: number;
  /** Mean of its runs, and their number. */
  value: number;
  runs: number;
  /** False if the candidate could have written one of its scores itself. */
  trusted: boolean;
  /** Difference from the claim, positive if better. */
  gain: number;
  hypothesis: string | null;
}

/** Expected and actual changes of the metric of one proposer's candidates, in its unit. */
export interface Calibration {
  proposer: string;
  /** Candidates with an expected change and a value, whose parent has a value. */
  candidates: number;
  /** Share whose metric changed in the expected direction. */
  rightDirection: number;
  expected: number;
  actual: number;
}

/** The story of one research in a period. Values are in the metric's unit, times in ISO 8601. */
export interface ResearchReport {
  id: string;
  since: string;
  status: StatusView;
  /** Trials that ended in the period, by status. */
  ended: Partial<Record<TrialStatus, number>>;
  /**
   * Seconds of trials that ended in the period, and calls that were sent in it; `unpriced`: answers of unknown cost,
   * which `usd` lacks. `hours`: time of the period, pauses not counted.
   */
  spend: { slotSeconds: number; tokens: number; usd: number; unpriced: number; hours: number };
  claims: ReportedClaim[];
  unclaimed: UnclaimedIdea[];
  failures: ReportedFailure[];
  /**
   * Searched candidates with a score in the whole research, and by how much the best of as many equal candidates would
   * look better by noise alone; `margin` null if the noise of the baseline is unknown.
   */
  luck: { candidates: number; margin: number | null };
  arms: readonly ArmView[] | null;
  calibration: Calibration[];
  /** The limit that is reached first; null if none will be. */
  forecast: string | null;
  next: string[];
  /** Conditions that only a person can change. */
  needsYou: Attention[];
}
