import type { TrialStatus } from '../../domain/trial.ts';

/** A claim that was made in a period. */
export interface PeriodClaim {
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
}

/** The way of the best from before a period to its last claim. */
export interface Progress {
  /** Value of the claim before the period, else of the unmodified version; null if there is none that compares. */
  from: number | null;
  to: number;
  /** Difference, positive if better, with half of its 95 % interval; null if unknown. */
  gain: number | null;
  half: number | null;
}

/** Times of a period in which a research waited or was paused. */
export interface Stops {
  count: number;
  seconds: number;
  /** Reason of the longest one, else its phase. */
  reason: string;
  /** Begin of the first and end of the last one, in ISO 8601. */
  from: string;
  to: string;
}

/** Spend in a period. */
export interface PeriodSpend {
  /** Seconds on slots of trials that ended in the period. */
  slotSeconds: number;
  /** Calls that were sent in the period. `unpriced`: answers of unknown cost, which `usd` lacks. */
  tokens: number;
  usd: number;
  unpriced: number;
  /** Time of the period, pauses not counted. */
  hours: number;
}

/** Figures of a research in a period. Values are in the metric's unit, times in ISO 8601. */
export interface PeriodView {
  since: string;
  /** Trials that ended in the period, by status. */
  ended: Partial<Record<TrialStatus, number>>;
  spend: PeriodSpend;
  claims: PeriodClaim[];
  /** Null without a claim in the period. */
  progress: Progress | null;
  /** Null if the research never stood still. */
  stops: Stops | null;
  /** Share of the time of the pool's slots with a run of any research, 0 to 1; null if there were no slots. */
  slotShare: number | null;
}
