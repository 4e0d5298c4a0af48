import type { KeepPolicyName } from '../search/keep.ts';
import type { Series } from '../statistics/series.ts';
import type { TrialKind, Verdict } from '../trial.ts';
import type { Counted } from './counted.ts';

/** How a task wants its verdicts. */
export interface GateConfig {
  policy: KeepPolicyName;
  direction: 'minimize' | 'maximize';
  /** Gains that are not larger than this are no gains. */
  minDelta: number;
  /** Expected false keeps per 200 search trials on a stream of equal candidates. */
  falseKeepsPer200: number;
  /** Runs of the unmodified candidate; noise-gated runs at least 3. */
  baselineRuns: number;
  /** Seeds whose mean a search candidate is judged by. */
  repeats: number;
  /** The search follows the lead: results are compared with it, and it is raced as a whole. */
  followsLead: boolean;
}

/** A trial that ended. `value` is null where there is none: failed, lost, censored. */
export interface EndedRun {
  n: number;
  kind: TrialKind;
  candidateId: string;
  parentId: string | null;
  ofTrial: number | null;
  seed: number;
  value: number | null;
  /** No value, and not the candidate's fault: lost by its machine, or stopped by a person. */
  censored?: boolean;
  /** No value, since early abort saw that it could not win. */
  stopped?: boolean;
}

/** A run that the gate asks for, with a seed that this candidate did not have. */
export interface WantedRun {
  kind: 'baseline' | 'confirm' | 'remeasure';
  candidateId: string;
  ofTrial: number | null;
}

/** What is said of trial `n`; a later ruling on the same trial replaces an earlier one. */
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
  sd: number;
  n: number;
  /** The search trial that brought it; null for the unmodified candidate. */
  ofTrial: number | null;
}

/** What {@link advance} gives back. */
export interface Advance {
  state: GateState;
  rulings: Ruling[];
  wants: WantedRun[];
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
  /** The runs that brought it up (its search trial and repeats): selected, so never used for a claim. */
  screen: Series;
  /** Runs asked for later. */
  fresh: Series;
  /** The latest of them, oldest first. */
  values: number[];
  belief: Belief;
  /** Wanted runs that ended without a value. */
  failures: number;
}

/** A search result that is being compared with the lead. */
export interface LeadComparison {
  candidateId: string;
  /** Whose run is wanted next: the candidate's or the lead's. */
  next: 'candidate' | 'lead';
}

/** A claim on trial: runs of a candidate and of the incumbent, all new, asked for in random order. */
export interface Race {
  candidateId: string;
  ofTrial: number | null;
  /** A cheap look against the incumbent's old runs goes before. */
  heat: boolean;
  values: number[];
  /** Runs of the incumbent since the race began. */
  controls: number[];
  /** Index of the next look. */
  look: number;
  /** Error probability set aside for the whole race. */
  level: number;
  /** Failed runs of either side. */
  failures: number;
}

/** A search result that waits: for the baseline, or for a free place in the races. */
export interface WaitingResult {
  n: number;
  candidateId: string;
  parentId: string | null;
  value: number;
}

/** Everything that the gate remembers. Plain JSON, a few kilobytes however many trials. */
export interface GateState {
  version: 1;
  /** 1 where greater is better, −1 where smaller is. */
  sign: 1 | -1;
  counted: Counted;
  /** The candidate whose runs set the noise floor, until they are complete. */
  calibrating: { candidateId: string; need: number } | null;
  baselineId: string;
  incumbentId: string;
  previousId: string | null;
  /** The incumbent where a person made it one: its predecessor does not take the claim back. Missing in states from before. */
  crownedId?: string | null;
  leadId: string;
  /** Where the lead was before, latest last. */
  trail: string[];
  subjects: Subject[];
  /** The unmodified candidate's runs, kept for the report. */
  baseline: { series: Series; values: number[] };
  /** Pooled sum of squares within candidates, and its degrees of freedom. */
  noise: { ss: number; df: number };
  prior: { weights: number[]; n: number };
  held: WaitingResult[];
  /** Candidates whose repeats are not complete. */
  gathering: string[];
  probes: LeadComparison[];
  /** Candidates that wait for a free place in the races. */
  queue: string[];
  races: Race[];
  asked: WantedRun[];
  /** Error probability that may still be spent on races. */
  account: number;
  /** Runs that may still be spent on races of the lead. */
  effort: number;
  rawBest: { n: number; candidateId: string; value: number } | null;
  /** Search trials with a value, and those that early abort stopped. */
  searched: number;
  /** Search trials before the last race at the end of a search. Missing where there was none. */
  lastRaceAt?: number;
  /** Those of them since the lead moved. */
  sinceMove: number;
  claims: number;
  /** Races with enough old runs to compare, and those whose incumbent had changed since. */
  raced: number;
  drifted: number;
}

/** One call of {@link advance} at work: the state is its own copy. */
export interface Draft {
  config: GateConfig;
  state: GateState;
  rulings: Ruling[];
  claimed: Claimed | null;
}
