import type { SetBudget } from '../messages.ts';
import { type Budget, type Limit, LIMITS } from '../schema/budget.ts';
import { type FailureLabel, PROPOSAL_KINDS, type TrialKind, type TrialStatus } from '../trial.ts';
import { STORE_FAILED } from './hold.ts';

/**
 * Consecutive proposals without a new candidate that end a research whose budget limits neither trials nor proposals.
 */
const MOST_WITHOUT_NEW = 200;
/** Proposals that a budget of trials allows: `each` per trial, plus `beside`. */
const PROPOSALS = { each: 4, beside: 50 } as const;
/** Statuses of proposals that ran nothing. */
const RAN_NOTHING: readonly TrialStatus[] = ['cached', 'rejected'];

/** Number of trials by kind. */
type ByKind = Partial<Record<TrialKind, number>>;

/** Counters of a research that change with the outcomes of its trials. */
export interface Counters {
  /** Seconds on slots of ended trials. */
  slotSeconds: number;
  /** Trials that ran nothing, or that the database ended: they do not count against `budget.trials`. */
  refunded: ByKind;
  /** Consecutive proposals, up to now, that ended without a new candidate. */
  withoutNew: number;
}

export interface Spend {
  /** Trials of the kinds that count, without refunded ones. */
  trials: number;
  /** All proposals, whatever their outcome. */
  proposals: number;
  hours: number;
  hoursWithoutClaim: number;
  slotSeconds: number;
  tokens: number;
  usd: number;
  withoutNew: number;
}

/** Trials and proposals that a research may still start. */
export interface Allowance {
  /** Trials of the kinds that count; null: no limit, since a JSON payload cannot carry Infinity. */
  trials: number | null;
  /** New proposals; null: no limit. */
  proposals: number | null;
  /** Reason why nothing more may start: spent hours, seconds on slots, tokens or money; null if something may. */
  exhausted: string | null;
  /** Reason why no new proposal may start; null if one may. */
  spent: string | null;
}

/** Spend of a research so far, in the units that a budget may limit. */
export function spendOf(
  usage: Counters & {
    budget: Pick<Budget, 'counts'>;
    /** Trial numbers given out, by kind. */
    admitted: ByKind;
    tokens: number;
    usd: number;
    activeSeconds: number;
    /** Active seconds at the last claim; 0 before the first. */
    secondsAtClaim: number;
  },
): Spend {
  const { budget, admitted, refunded, activeSeconds, secondsAtClaim, slotSeconds, withoutNew, tokens, usd } = usage;
  const trials = sum(admitted, budget.counts) - sum(refunded, budget.counts);
  const proposals = sum(admitted, PROPOSAL_KINDS);
  const hours = activeSeconds / 3600;
  const hoursWithoutClaim = Math.max(0, activeSeconds - secondsAtClaim) / 3600;
  return { trials, proposals, hours, hoursWithoutClaim, slotSeconds, tokens, usd, withoutNew };
}

const sum = (byKind: ByKind, kinds: readonly TrialKind[]): number =>
  kinds.reduce((total, kind) => total + (byKind[kind] ?? 0), 0);

interface CountedOutcome {
  kind: TrialKind;
  status: TrialStatus | null;
  failure: FailureLabel | null;
  seconds: number | null;
  /** Runs of its candidate before it, null if there are none: a copy is not new. */
  runsBefore: number | null;
}

/** The counters after a trial's outcome. */
export function countOutcome(
  { slotSeconds, refunded, withoutNew }: Counters,
  { kind, status, failure, seconds, runsBefore }: CountedOutcome,
): Counters {
  const ranNothing = status !== null && RAN_NOTHING.includes(status);
  const isStoreFailure = failure === STORE_FAILED;
  const isRefunded = ranNothing || isStoreFailure;
  const nextWithoutNew = ranNothing || (runsBefore ?? 0) > 0 ? withoutNew + 1 : 0;
  // The database, not the proposer, ended the trial: nothing is known of its candidate.
  const keepsRow = isStoreFailure || !PROPOSAL_KINDS.includes(kind);
  return {
    slotSeconds: slotSeconds + (seconds ?? 0),
    refunded: isRefunded ? { ...refunded, [kind]: (refunded[kind] ?? 0) + 1 } : refunded,
    withoutNew: keepsRow ? withoutNew : nextWithoutNew,
  };
}

/** A limit of a budget, set or derived from another limit; null if there is none. */
export function budgetLimit(budget: Budget, key: Limit): number | null {
  const { trials } = budget;
  const derived = key === 'proposals' && trials !== undefined ? PROPOSALS.each * trials + PROPOSALS.beside : null;
  return budget[key] ?? derived;
}

/** The rest of a budget. Trials under way count as spent, so that a budget of 60 trials gives exactly 60. */
export function allowance(budget: Budget, spend: Spend): Allowance {
  const over = (['hours', 'slotSeconds', 'tokens', 'usd'] as const).find((key) => leftOf(budget, spend, key) === 0);
  const exhausted = over ? spentWords(budget, spend, over) : null;
  const left = { trials: leftOf(budget, spend, 'trials'), proposals: leftOf(budget, spend, 'proposals') };
  if (exhausted !== null) return { trials: 0, proposals: 0, exhausted, spent: exhausted };
  const isWithoutClaim = leftOf(budget, spend, 'hoursWithoutClaim') === 0;
  const key = isWithoutClaim
    ? 'hoursWithoutClaim'
    : (['trials', 'proposals'] as const).find((limit) => left[limit] === 0);
  const isBarren = left.proposals === null && spend.withoutNew >= MOST_WITHOUT_NEW;
  const barren = isBarren ? barrenWords(spend) : null;
  const spent = key ? spentWords(budget, spend, key) : barren;
  // A race under way may still end in a claim, after which proposals go on.
  return { trials: left.trials, proposals: isBarren || isWithoutClaim ? 0 : left.proposals, exhausted, spent };
}

function leftOf(budget: Budget, spend: Spend, key: Limit): number | null {
  const limit = budgetLimit(budget, key);
  return limit === null ? null : Math.max(0, limit - spend[key]);
}

function spentWords(budget: Budget, spend: Spend, key: Limit): string {
  const { each, beside } = PROPOSALS;
  const derived = budget[key] === undefined ? ` (default: ${each} × budget.trials + ${beside})` : '';
  return `budget.${key} is spent: ${round(spend[key])} of ${round(budgetLimit(budget, key) ?? 0)}${derived}`;
}

const barrenWords = ({ withoutNew }: Spend): string =>
  `the last ${withoutNew} proposals gave no new candidate: each was known already or rejected; ` +
  'to continue, set budget.proposals';

/** A budget with the limits in `change` replaced. Null removes a limit; a missing limit stays. */
export function changedBudget(budget: Budget, change: SetBudget): Budget {
  const { counts = budget.counts, whenSpent = budget.whenSpent } = change;
  const limits = LIMITS.map((key) => {
    const limit = change[key] === undefined ? budget[key] : change[key];
    return [key, limit ?? undefined] as const;
  });
  const set = limits.filter(([, limit]) => limit !== undefined);
  const others = Object.entries(budget).filter(([key]) => !(LIMITS as readonly string[]).includes(key));
  return { ...Object.fromEntries([...others, ...set]), counts, whenSpent };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/**
 * Active time: the seconds counted so far, and the start of the current stretch in ms since the epoch; null while
 * paused.
 */
interface ActiveTime {
  activeSeconds: number;
  activeSince: number | null;
}

/**
 * Active seconds at `now` (ms). While the research runs, the workflow counts its time at least every `longestMs`. A
 * longer stretch means that the stack was down, and counts as `longestMs`.
 */
export const activeSecondsAt = ({ activeSeconds, activeSince }: ActiveTime, now: number, longestMs: number): number =>
  activeSince === null ? activeSeconds : activeSeconds + Math.min(now - activeSince, longestMs) / 1000;
