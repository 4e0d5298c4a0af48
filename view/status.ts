import type { AbortTally } from '../domain/abort/audit/tally.ts';
import type { GainReport } from '../domain/gate/gate.ts';
import { trialIdOf } from '../domain/trial/ids.ts';
import type { FailedBaseline } from '../domain/research/failed-baseline.ts';
import type { LosingStreak } from '../domain/research/losing-streak.ts';
import type { Phase } from '../domain/research/phase.ts';
import type { Overrides } from '../domain/task/overrides.ts';
import { budgetUseOf, type BudgetFacts, type BudgetUse } from './budget.ts';
import type { Compute } from './rows/compute.ts';
import type { LearningView } from './policy/learning.ts';
import type { CallRates } from './rows/rates.ts';
import { phaseWith, type Waiting } from './phase.ts';
import type { KnownSpend, Spend } from './spend.ts';
import { describeRaceWait, type Race, type Standing } from './standing.ts';
import type { TrialCounts, KnownSlots, KnownTrials, SlotCounts } from './trials.ts';
import type { Queue, Wait } from './wait.ts';

/**
 * The status of a research as every surface draws it: terminal, Temporal's details, page. Plain JSON. Values and gains
 * are in the metric's unit, an sd is that of one run, durations are seconds, money is USD, times are ISO.
 * A score is `trusted` if the candidate could not have written it itself.
 */
export interface StatusView {
  workflowId: string;
  task: string;
  phase: Phase;
  reason: string | null;
  /** Why the model endpoint does not answer; null where it does, or none is asked. */
  endpointDown: string | null;
  proposer: string;
  /** Values of its own in place of its task's, and the hash of its whole method; null where 0.1 began it. */
  own: { overrides: Overrides; settingsHash: string | null };
  /** `optimum`: the best possible value, where the task knows it. */
  metric: { name: string; direction: 'minimize' | 'maximize'; optimum: number | null };
  /** The metric's; null where it has none. */
  unit: string | null;
  /** Null until it is measured. */
  baseline: { value: number; sd: number | null; n: number; trusted: boolean } | null;
  /** The incumbent: the last claim, or the unmodified workspace before the first one. Null until that is measured. */
  best: { trialId: string | null; candidateId: string; unmodified: boolean; value: number; trusted: boolean } | null;
  /** Its gain over the baseline, and the best run of a proposal. */
  gain: GainReport;
  /** Compute of the best's runs in times of the baseline's; null where either is not known, or the best is the baseline. */
  compute: Compute | null;
  /** Where the search stands, which is no claim; null where that is the best. */
  lead: {
    trialId: string | null;
    candidateId: string;
    value: number;
    /** Runs behind the value. */
    n: number;
    /** As the gate believes it, shrunken for selection. */
    estimate: number | null;
    trusted: boolean;
    /** The obstacle of its race, in words; null where that is about to begin. */
    waitsFor: string | null;
  } | null;
  /** Claims that are on trial now. */
  races: Race[];
  /** Warnings of noise for which the gate's promise does not hold. */
  warnings: string[];
  trials: Omit<TrialCounts, 'verdicts'>;
  verdicts: TrialCounts['verdicts'];
  /** Trials that may be under way at once; null before the workflow has said it. */
  window: number | null;
  /** Of the research's pool, over all researches. */
  slots: SlotCounts;
  /** The wait of ready trials for a slot; null where none waits. */
  queue: Queue | null;
  /** The wait of trials on slots that they hold; null where none does. The phase is `waiting` if nothing else gets on. */
  wait: Wait | null;
  /** Time under way as the budget counts it: without pauses. */
  activeSeconds: number;
  spend: Spend;
  budget: BudgetUse;
  /** How calls of a model go; null where none was asked. */
  rates: CallRates | null;
  /** Null where no run was judged. */
  earlyAbort: AbortTally | null;
  /** Null where the last trials did not all fail. */
  losingStreak: LosingStreak | null;
  /** Null where no run of the baseline failed, or the baseline is measured all the same. */
  failedBaseline: FailedBaseline | null;
  /** Null where it samples no policy. */
  learning: LearningView | null;
  /** The newest first. */
  alerts: Alert[];
}

/** Something that a person should see, such as a signal that could not be understood. */
export interface Alert {
  /** ISO. */
  at: string;
  message: string;
}

/** A status as far as it is known: a field that is missing has no row, null is a known nothing. */
export interface StatusPart extends Partial<Omit<StatusView, 'trials' | 'slots' | 'spend'>> {
  trials?: KnownTrials;
  slots?: KnownSlots;
  spend?: KnownSpend;
}

/** Facts that the readers give. */
export interface StatusFacts extends Pick<
  StatusView,
  'compute' | 'queue' | 'slots' | 'rates' | 'earlyAbort' | 'losingStreak' | 'failedBaseline' | 'learning' | 'alerts'
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
  /** By candidate; one without scores is missing. */
  trust: ReadonlyMap<string, boolean>;
  /** The search trial that the claim confirmed, else the first run of the best. */
  bestTrialId: string | null;
  counts: TrialCounts;
  waiting: Waiting;
}

interface Metric {
  name: string;
  direction: 'minimize' | 'maximize';
  optimum?: number | undefined;
  unit?: string | undefined;
}

/** The view of a research, made of what the readers give. */
export function statusView(facts: StatusFacts): StatusView {
  const { research, standing, counts, waiting, queue, slots, rates, earlyAbort, learning, alerts } = facts;
  const { losingStreak, failedBaseline } = facts;
  const { task, proposer, overrides, settingsHash, window, activeSeconds, tokens, usd, endpointDown } = research;
  const { name, direction, optimum = null, unit = null } = task.metric;
  const { verdicts, ...trials } = counts;
  return {
    workflowId: research.id,
    task: task.name,
    ...phaseWith({ phase: research.phase, reason: research.reason ?? endpointDown }, waiting),
    ...{ endpointDown, proposer, own: { overrides, settingsHash }, metric: { name, direction, optimum }, unit },
    ...estimatesOf(facts),
    ...{ gain: standing.report, compute: facts.compute, races: standing.races, warnings: standing.warnings },
    ...{ trials, verdicts, window, slots, queue, wait: waiting.wait, activeSeconds },
    spend: { tokens, usd, slotSeconds: research.slotSeconds },
    budget: budgetUseOf(research),
    ...{ rates, earlyAbort, losingStreak, failedBaseline, learning, alerts },
  };
}

function estimatesOf({ research, standing, trust, bestTrialId }: StatusFacts) {
  const { baseline, claim, lead } = standing;
  const trusted = ({ candidateId }: { candidateId: string }): boolean => trust.get(candidateId) ?? true;
  return {
    baseline: baseline && { value: baseline.value, sd: baseline.sd, n: baseline.n, trusted: trusted(baseline) },
    best: claim && {
      trialId: bestTrialId,
      candidateId: claim.candidateId,
      unmodified: claim.candidateId === research.baselineCandidate,
      value: claim.value,
      trusted: trusted(claim),
    },
    lead: lead && {
      trialId: lead.ofTrial === null ? null : trialIdOf(research.id, lead.ofTrial),
      candidateId: lead.candidateId,
      value: lead.value,
      n: lead.n,
      estimate: lead.estimate,
      trusted: trusted(lead),
      waitsFor: describeRaceWait(lead.waitsFor, budgetUseOf(research)),
    },
  };
}
