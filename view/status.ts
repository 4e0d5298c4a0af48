import type { AbortTally } from '../domain/abort/audit/tally.ts';
import type { GainReport } from '../domain/gate/gate.ts';
import { trialIdOf } from '../domain/trial/ids.ts';
import type { FailedBaseline } from '../domain/research/failed-baseline.ts';
import type { LosingStreak } from '../domain/research/losing-streak.ts';
import type { Phase } from '../domain/research/phase.ts';
import type { Overrides } from '../domain/task/overrides.ts';
import { budgetUseOf, type BudgetFacts, type BudgetUse } from './budget.ts';
import type { Contention } from './contention.ts';
import type { ArmView } from './rows/arms.ts';
import type { Compute } from './rows/compute.ts';
import type { LearningView } from './policy/learning.ts';
import type { CallRates } from './rows/rates.ts';
import { phaseWith, type Waiting } from './phase.ts';
import type { KnownSpend, Spend } from './spend.ts';
import { describeRaceWait, type Race, type Standing } from './standing.ts';
import type { TrialCounts, KnownSlots, KnownTrials, SlotCounts } from './trials.ts';
import type { Queue, Wait } from './wait.ts';

/** A value that a task states for comparison. */
export interface KnownValue {
  name: string;
  value: number;
}

/**
 * The status of a research, as every surface shows it: terminal, Temporal's details, page. Plain JSON. Values and gains
 * are in the metric's unit, an sd is that of one run, durations are in seconds, money is in USD, times are in ISO 8601.
 * A score is `trusted` if the candidate could not have written it itself.
 */
export interface StatusView {
  workflowId: string;
  task: string;
  phase: Phase;
  reason: string | null;
  /** Error of the model endpoint; null if it answers, or if the research uses none. */
  endpointDown: string | null;
  proposer: string;
  /** Overrides of its task's values, and the hash of its whole method; null if version 0.1 started it. */
  own: { overrides: Overrides; settingsHash: string | null };
  /** `optimum`: best possible value; null if unknown. `known`: absent if the task states none. */
  metric: { name: string; direction: 'minimize' | 'maximize'; optimum: number | null; known?: KnownValue[] };
  /** Unit of the metric; null if it has none. */
  unit: string | null;
  /** The unmodified workspace; null until it is measured. */
  baseline: { value: number; sd: number | null; n: number; trusted: boolean } | null;
  /** The incumbent: the last claim, or the unmodified workspace before the first claim. Null until it is measured. */
  best: {
    trialId: string | null;
    candidateId: string;
    unmodified: boolean;
    value: number;
    trusted: boolean;
    /** Requested runs of it that failed; absent where only a summary is known, as in Temporal's details. */
    failed?: number;
    /** Basis of its claim, as a clause: one run, agreeing runs, failures; null or absent if none of them applies. */
    basis?: string | null;
    /** Knobs by which it lies outside the search space that the task has now; absent if it lies inside. */
    outside?: string[];
  } | null;
  /** Gain of the best over the baseline, and the best run of a proposal. */
  gain: GainReport;
  /** Compute of the best's runs against the baseline's; null if either is unknown, or if the best is the baseline. */
  compute: Compute | null;
  /** The lead of the search, which no claim has confirmed; null if it is the best. */
  lead: {
    trialId: string | null;
    candidateId: string;
    value: number;
    /** Number of runs in the value. */
    n: number;
    /** The gate's estimate of the value, shrunken for selection. */
    estimate: number | null;
    trusted: boolean;
    /** Knobs by which it lies outside the search space that the task has now; absent if it lies inside. */
    outside?: string[];
    /** Obstacle of its race, as a clause: `its race is under way`; null if the race is about to begin. */
    waitsFor: string | null;
  } | null;
  /** Races that are under way. */
  races: Race[];
  /** Warnings about noise for which the gate cannot guarantee its error rate. */
  warnings: string[];
  trials: Omit<TrialCounts, 'verdicts'>;
  verdicts: TrialCounts['verdicts'];
  /** Trials that may be under way at once; null until the workflow has reported it. */
  window: number | null;
  /** Slots of the research's pool, over all researches. */
  slots: SlotCounts;
  /** Wait of ready trials for a slot; null if none waits. */
  queue: Queue | null;
  /** Wait of trials that hold a slot; null if none waits. The phase is `waiting` if no other trial runs. */
  wait: Wait | null;
  /** Active seconds as the budget counts them, without pauses. */
  activeSeconds: number;
  spend: Spend;
  budget: BudgetUse;
  /** Rates of model calls; null if there were none. */
  rates: CallRates | null;
  /** Results of early abort; null if it judged no run. */
  earlyAbort: AbortTally | null;
  /** Consecutive failures; null if the last trials did not all fail. */
  losingStreak: LosingStreak | null;
  /** Failed runs of the baseline; null if none failed, or if the baseline is measured nevertheless. */
  failedBaseline: FailedBaseline | null;
  /** Runs of the last hour that other processes kept from a CPU; null if there are none. */
  contention: Contention | null;
  /** State of its learning; null if it samples no policy. */
  learning: LearningView | null;
  /** Arms of its mixture, the most chosen first; empty without a mixture. */
  arms: ArmView[];
  /** Alerts, newest first. */
  alerts: Alert[];
}

/** A message to a person, such as about a signal with invalid input. */
export interface Alert {
  /** Time in ISO 8601. */
  at: string;
  message: string;
}

/** A partial status. A missing field has no row; null is a known absence. */
export interface StatusPart extends Partial<Omit<StatusView, 'trials' | 'slots' | 'spend'>> {
  trials?: KnownTrials;
  slots?: KnownSlots;
  spend?: KnownSpend;
}

/** Facts of a research, as the database readers return them. */
export interface StatusFacts extends Pick<
  StatusView,
  | 'compute'
  | 'queue'
  | 'slots'
  | 'rates'
  | 'earlyAbort'
  | 'losingStreak'
  | 'failedBaseline'
  | 'contention'
  | 'learning'
  | 'arms'
  | 'alerts'
> {
  research: BudgetFacts & {
    id: string;
    baselineCandidate: string;
    task: { name: string; metric: Metric };
    phase: Phase;
    reason: string | null;
    endpointDown: string | null;
    proposer: string;
    overrides: Overrides;
    settingsHash: string | null;
    window: number | null;
  };
  standing: Standing;
  /** Trust in a candidate's scores, by candidate; candidates without scores are missing. */
  trust: ReadonlyMap<string, boolean>;
  /** Knobs by which candidates lie outside the search space, by candidate; those inside are missing. */
  outside?: ReadonlyMap<string, string[]>;
  /** Search trial that the claim confirmed, else the first run of the best. */
  bestTrialId: string | null;
  counts: TrialCounts;
  waiting: Waiting;
}

interface Metric {
  name: string;
  direction: 'minimize' | 'maximize';
  optimum?: number | undefined;
  known?: KnownValue[] | undefined;
  unit?: string | undefined;
}

/** Builds the view of a research from its facts. */
export function statusView(facts: StatusFacts): StatusView {
  const { research, standing, counts, waiting, queue, slots, rates, earlyAbort, learning, alerts } = facts;
  const { losingStreak, failedBaseline, contention } = facts;
  const { task, proposer, overrides, settingsHash, window, activeSeconds, tokens, usd, endpointDown } = research;
  const { name, direction, optimum = null, unit = null, known } = task.metric;
  const { verdicts, ...trials } = counts;
  return {
    workflowId: research.id,
    task: task.name,
    ...phaseWith({ phase: research.phase, reason: research.reason ?? endpointDown }, waiting),
    endpointDown,
    proposer,
    own: { overrides, settingsHash },
    metric: known === undefined ? { name, direction, optimum } : { name, direction, optimum, known },
    unit,
    ...estimatesOf(facts),
    gain: standing.report,
    compute: facts.compute,
    races: standing.races,
    warnings: standing.warnings,
    trials,
    verdicts,
    window,
    slots,
    queue,
    wait: waiting.wait,
    activeSeconds,
    spend: { tokens, usd, slotSeconds: research.slotSeconds },
    budget: budgetUseOf(research),
    rates,
    earlyAbort,
    losingStreak,
    failedBaseline,
    contention,
    learning,
    arms: facts.arms,
    alerts,
  };
}

function estimatesOf({ research, standing, trust, outside, bestTrialId }: StatusFacts) {
  const { baseline, claim, lead } = standing;
  const trusted = ({ candidateId }: { candidateId: string }): boolean => trust.get(candidateId) ?? true;
  const outsideOf = ({ candidateId }: { candidateId: string }): { outside?: string[] } => {
    const knobs = outside?.get(candidateId);
    return knobs === undefined ? {} : { outside: knobs };
  };
  return {
    baseline: baseline && { value: baseline.value, sd: baseline.sd, n: baseline.n, trusted: trusted(baseline) },
    best: claim && {
      trialId: bestTrialId,
      candidateId: claim.candidateId,
      unmodified: claim.candidateId === research.baselineCandidate,
      value: claim.value,
      trusted: trusted(claim),
      ...standing.basis,
      ...outsideOf(claim),
    },
    lead: lead && {
      trialId: lead.ofTrial === null ? null : trialIdOf(research.id, lead.ofTrial),
      candidateId: lead.candidateId,
      value: lead.value,
      n: lead.n,
      estimate: lead.estimate,
      trusted: trusted(lead),
      ...outsideOf(lead),
      waitsFor: describeRaceWait(lead.waitsFor, budgetUseOf(research)),
    },
  };
}
