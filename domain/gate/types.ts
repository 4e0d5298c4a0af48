import type { KeepPolicyName } from '../search/keep.ts';
import type { Series } from '../statistics/series.ts';
import type { TrialKind, Verdict } from '../trial.ts';
import type { Counted } from './counted.ts';

/** A task's settings of the gate. */
export interface GateConfig {
  policy: KeepPolicyName;
  direction: 'minimize' | 'maximize';
  /** Difference that a gain must exceed. */
  minDelta: number;
  /** Expected false keeps per 200 search trials on a stream of equal candidates. */
  falseKeepsPer200: number;
  /** Runs of the unmodified candidate; at least 3 under noise-gated. */
  baselineRuns: number;
  /** The same, if two of these runs have equal values. Missing: `baselineRuns`. */
  baselineRunsIfTied?: number;
  /** Number of seeds over whose mean a search candidate is judged. */
  repeats: number;
  /** The search follows the lead: results are compared with the lead, and only the lead is raced. */
  followsLead: boolean;
  /** True: proposals are only measured, in an evaluation. None gets a verdict or a claim. Missing: false. */
  measuresOnly?: boolean;
}

/** A trial that ended. `value` is null if it has none: failed, lost, censored. */
export interface EndedRun {
  n: number;
  kind: TrialKind;
  candidateId: string;
  parentId: string | null;
  ofTrial: number | null;
  seed: number;
  value: number | null;
  /** No value, through no fault of the candidate: lost with its machine, or stopped by a person. */
  censored?: boolean;
  /** No value, since early abort stopped the run. */
  stopped?: boolean;
  /** A search trial of a candidate of which another run has ended before. */
  copy?: boolean;
  /** A search trial whose value another research measured. */
  reused?: boolean;
}

/** A run that the gate requests, with a seed that is new for this candidate. */
export interface WantedRun {
  kind: 'baseline' | 'confirm' | 'remeasure';
  candidateId: string;
  ofTrial: number | null;
}

/** Verdict on trial `n`; a later ruling on the same trial replaces an earlier one. */
export interface Ruling {
  n: number;
  verdict: Verdict;
  reason: string;
}

/** A new incumbent, in the units of the metric. */
export interface Claimed {
  candidateId: string;
  previous: string;
  value: number;
  /** Sd of one run; 0 if there are at least three runs and all are identical. */
  sd: number;
  /** Number of runs, identical ones included. */
  n: number;
  /** The search trial that brought it; null for the unmodified candidate. */
  ofTrial: number | null;
}

/** Result of {@link advance}. */
export interface Advance {
  state: GateState;
  rulings: Ruling[];
  wanted: WantedRun[];
  claimed: Claimed | null;
}

/** Normal belief about a candidate's true value. */
export interface Belief {
  mean: number;
  variance: number;
}

/** A candidate that the gate still follows. All values are oriented: greater is better. */
export interface Subject {
  candidateId: string;
  parentId: string | null;
  ofTrial: number | null;
  /** Runs that brought the candidate up (its search trial and repeats): selected, so never used for a claim. */
  screen: Series;
  /** Runs that were requested later. */
  fresh: Series;
  /** The fresh runs since its last claim, which are not selected by a race. Missing in older states. */
  after?: Series;
  /** True if its claim rests only on runs that agreed. Missing in states of 0.2. */
  claimedOnTies?: boolean;
  /** Values of the latest fresh runs, oldest first. */
  values: number[];
  belief: Belief;
  /** Requested runs that ended without a value, in succession. */
  failures: number;
  /** Requested runs that failed, and those that gave a value, in all. Missing in states of 0.2. */
  failed?: number;
  completed?: number;
}

/** A search result that is being compared with the lead. */
export interface LeadComparison {
  candidateId: string;
  /** Side whose run is wanted next. */
  next: 'candidate' | 'lead';
}

/** A test of a claim: new runs of a candidate and of the incumbent, requested in random order. */
export interface Race {
  candidateId: string;
  ofTrial: number | null;
  /** True before and during the heat, a cheap look against old runs of the incumbent that precedes the race. */
  heat: boolean;
  values: number[];
  /** Runs of the incumbent since the race began. */
  controls: number[];
  /** Index of the next look. */
  look: number;
  /** Error probability reserved for the whole race. */
  level: number;
  /** Failed runs of either side. */
  failures: number;
  /** Failed runs of each side since the race began or was restarted. Missing in states of 0.2. */
  failed?: { candidate: number; incumbent: number };
}

/** A better candidate of a metric without visible noise: a claim waits until fresh runs have agreed. */
export interface ExactClaim {
  candidateId: string;
  /** Fresh runs of the candidate, and of the incumbent, that agreed with their earlier ones. */
  runs: number;
  controls: number;
  /** Failed runs of either side, and those of the incumbent among them. Missing in older states. */
  failures: number;
  failedControls?: number;
}

/** A search result that waits for the baseline. */
export interface WaitingResult {
  n: number;
  candidateId: string;
  parentId: string | null;
  value: number;
  /** True for one more run of a candidate that waits, too. */
  copy?: boolean;
}

/** The best run of a proposal. Its value is oriented: greater is better. */
export interface RawBest {
  n: number;
  candidateId: string;
  value: number;
}

/** State of the gate. Plain JSON of a few kilobytes, however many trials there are. */
export interface GateState {
  version: 1;
  /** 1 if greater is better, −1 if smaller is. */
  sign: 1 | -1;
  counted: Counted;
  /** The candidate whose runs set the noise floor, until they are complete. */
  calibrating: { candidateId: string; need: number } | null;
  baselineId: string;
  incumbentId: string;
  previousId: string | null;
  /** The incumbent if a person chose it: its predecessor cannot take the claim back. Missing in older states. */
  crownedId?: string | null;
  leadId: string;
  /** Earlier leads, latest last. */
  trail: string[];
  subjects: Subject[];
  /** The unmodified candidate's runs, kept for the report. */
  baseline: { series: Series; values: number[] };
  /** Pooled sum of squares within candidates, and its degrees of freedom. */
  noise: { ss: number; df: number };
  /** Learned prior over gains, and the number of candidates that it has learned from. */
  prior: { weights: number[]; n: number };
  /** Search results that wait for the baseline. */
  held: WaitingResult[];
  /** Candidates whose repeats are not complete. */
  gathering: string[];
  /** Candidates that are being compared with the lead. */
  probes: LeadComparison[];
  /** Candidates that wait for a free race. */
  queue: string[];
  races: Race[];
  /** Claims that wait for fresh runs. Missing in states of 0.2. */
  exactClaims?: ExactClaim[];
  /** Requested runs that have not ended. */
  asked: WantedRun[];
  /** Error probability that may still be spent on races. */
  account: number;
  /** Runs that may still be spent on races of the lead. */
  effort: number;
  rawBest: RawBest | null;
  /** Candidates whose runs are never the raw best, since a person discarded them. Missing in states of 0.2. */
  discardedByPerson?: string[];
  /** Search trials with a value, and those that early abort stopped. */
  searched: number;
  /** Value of `searched` at the last race at the end of a search. Missing if there was none. */
  lastRaceAt?: number;
  /** Search trials as in `searched`, since the lead moved. */
  sinceMove: number;
  claims: number;
  /** Races with enough old runs of the incumbent to compare, and those whose new runs were unlike them. */
  raced: number;
  drifted: number;
}

/** Working data of one call of {@link advance}; the state is a copy. */
export interface Draft {
  config: GateConfig;
  state: GateState;
  rulings: Ruling[];
  claimed: Claimed | null;
}
