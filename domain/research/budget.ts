import type { SetBudget } from '../messages.ts';
import { type Budget, type Limit, LIMITS } from '../schema/budget.ts';
import { PROPOSAL_KINDS, type TrialKind, type TrialStatus } from '../trial.ts';

/** So many proposals in a row without a new candidate end a research that neither trials nor proposals limit. */
const MOST_WITHOUT_NEW = 200;
/** Proposals that a budget of trials leaves room for: so many for each, and so many beside. */
const PROPOSALS = { each: 4, beside: 50 } as const;
/** Ends of proposals that nothing ran for: they give `budget.trials` back. */
const REFUNDED: readonly TrialStatus[] = ['cached', 'rejected'];

/** Trials by kind. */
type ByKind = Partial<Record<TrialKind, number>>;

/** Counters of a research that change with the outcomes of its trials. */
export interface Counters {
  /** Seconds on slots, of trials that have ended. */
  slotSeconds: number;
  /** Trials that ran nothing. */
  refunded: ByKind;
  /** Proposals that ended one after the other, up to now, without a new candidate. */
  withoutNew: number;
}

export interface Spend {
  /** Trials of the kinds that count, without those that are refunded. */
  trials: number;
  /** All of them, whatever became of them. */
  proposals: number;
  hours: number;
  slotSeconds: number;
  tokens: number;
  usd: number;
  withoutNew: number;
}

/** What a research may still start. */
export interface Allowance {
  /** Trials of the kinds that count; Infinity never crosses a payload, so "no limit" is null. */
  trials: number | null;
  /** New proposals; null: no limit. */
  proposals: number | null;
  /** Why nothing at all may start any more (hours, seconds on slots, tokens, money), in words. */
  exhausted: string | null;
  /** Why no new proposal may start, in words. */
  spent: string | null;
}

/** What is spent so far of what a budget may limit. */
export function spendOf(
  from: Counters & {
    budget: Pick<Budget, 'counts'>;
    /** Trial numbers given out, by kind. */
    admitted: ByKind;
    tokens: number;
    usd: number;
    activeSeconds: number;
  },
): Spend {
  const { budget, admitted, refunded, activeSeconds, slotSeconds, withoutNew, tokens, usd } = from;
  const trials = sum(admitted, budget.counts) - sum(refunded, budget.counts);
  const proposals = sum(admitted, PROPOSAL_KINDS);
  return { trials, proposals, hours: activeSeconds / 3600, slotSeconds, tokens, usd, withoutNew };
}

const sum = (byKind: ByKind, kinds: readonly TrialKind[]): number =>
  kinds.reduce((total, kind) => total + (byKind[kind] ?? 0), 0);

/** The counters after a trial's outcome. */
export function countOutcome(
  { slotSeconds, refunded, withoutNew }: Counters,
  { kind, status, seconds }: { kind: TrialKind; status: TrialStatus | null; seconds: number | null },
): Counters {
  const isRefunded = status !== null && REFUNDED.includes(status);
  return {
    slotSeconds: slotSeconds + (seconds ?? 0),
    refunded: isRefunded ? { ...refunded, [kind]: (refunded[kind] ?? 0) + 1 } : refunded,
    withoutNew: !PROPOSAL_KINDS.includes(kind) ? withoutNew : isRefunded ? withoutNew + 1 : 0,
  };
}

/** Limits that a budget has, those that follow from others too: null where there is none. */
export function budgetLimit(budget: Budget, key: Limit): number | null {
  const { trials } = budget;
  const derived = key === 'proposals' && trials !== undefined ? PROPOSALS.each * trials + PROPOSALS.beside : null;
  return budget[key] ?? derived;
}

/** What is left of a budget. Trials under way count as spent, so that a budget of 60 ends with 60. */
export function allowance(budget: Budget, spend: Spend): Allowance {
  const over = (['hours', 'slotSeconds', 'tokens', 'usd'] as const).find((key) => leftOf(budget, spend, key) === 0);
  const exhausted = over ? spentWords(budget, spend, over) : null;
  const left = { trials: leftOf(budget, spend, 'trials'), proposals: leftOf(budget, spend, 'proposals') };
  const key = (['trials', 'proposals'] as const).find((one) => left[one] === 0);
  const isBarren = left.proposals === null && spend.withoutNew >= MOST_WITHOUT_NEW;
  const spent = exhausted ?? (key ? spentWords(budget, spend, key) : isBarren ? barrenWords(spend) : null);
  if (exhausted !== null) return { trials: 0, proposals: 0, exhausted, spent };
  return { trials: left.trials, proposals: isBarren ? 0 : left.proposals, exhausted, spent };
}

function leftOf(budget: Budget, spend: Spend, key: Limit): number | null {
  const limit = budgetLimit(budget, key);
  return limit === null ? null : Math.max(0, limit - spend[key]);
}

function spentWords(budget: Budget, spend: Spend, key: Limit): string {
  const { each, beside } = PROPOSALS;
  const derived = budget[key] === undefined ? ` (${each} for each of budget.trials, and ${beside})` : '';
  return `budget.${key} is spent: ${round(spend[key])} of ${round(budgetLimit(budget, key) ?? 0)}${derived}`;
}

const barrenWords = ({ withoutNew }: Spend): string =>
  `the last ${withoutNew} proposals gave no new candidate: each was known already or rejected; to let it go on, set budget.proposals`;

/** A budget with the named limits changed: null lifts one, and what is not named stays. */
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

/** Seconds under way: what was counted, and since when it goes on (ms since the epoch; null while paused). */
interface ActiveTime {
  activeSeconds: number;
  activeSince: number | null;
}

/**
 * Seconds under way at `now`, of a clock that is read at least every `longest` ms while anything runs: a longer stretch
 * means that nothing did (the stack was down), and counts as one of that length.
 */
export const activeSecondsAt = ({ activeSeconds, activeSince }: ActiveTime, now: number, longest: number): number =>
  activeSince === null ? activeSeconds : activeSeconds + Math.min(now - activeSince, longest) / 1000;
