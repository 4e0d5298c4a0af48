import type { SetBudget } from './messages.ts';
import type { Budget } from './task/budget.ts';
import type { TrialKind } from './trial.ts';

export interface Spend {
  /** Trials of the kinds that count. */
  trials: number;
  hours: number;
  tokens: number;
  usd: number;
}

/** What a research may still start. */
export interface Allowance {
  /** New proposals; Infinity never crosses a payload, so "no limit" is null. */
  trials: number | null;
  /** Why nothing at all may start any more (hours, tokens, money), in words. */
  exhausted: string | null;
  /** Why no new proposal may start, in words. */
  spent: string | null;
}

/** What is spent so far of what a budget may limit. */
export function spendOf(from: {
  budget: Pick<Budget, 'counts'>;
  /** Trial numbers given out, by kind. */
  admitted: Partial<Record<TrialKind, number>>;
  tokens: number;
  usd: number;
  activeSeconds: number;
}): Spend {
  const { budget, admitted, tokens, usd, activeSeconds } = from;
  const trials = budget.counts.reduce((sum, kind) => sum + (admitted[kind] ?? 0), 0);
  return { trials, hours: activeSeconds / 3600, tokens, usd };
}

/** What is left of a budget. Trials under way count as spent, so that a budget of 60 ends with 60. */
export function allowance(budget: Budget, spend: Spend): Allowance {
  const over = (['hours', 'tokens', 'usd'] as const).find((key) => {
    const limit = budget[key];
    return limit !== undefined && spend[key] >= limit;
  });
  const exhausted = over ? `budget.${over} is spent: ${round(spend[over])} of ${round(budget[over] ?? 0)}` : null;
  if (budget.trials === undefined) return { trials: exhausted ? 0 : null, exhausted, spent: exhausted };
  const left = Math.max(0, budget.trials - spend.trials);
  const spent = left === 0 ? `budget.trials is spent: ${spend.trials} of ${budget.trials}` : null;
  return { trials: exhausted ? 0 : left, exhausted, spent: exhausted ?? spent };
}

/** A budget with the named limits changed: null lifts one, and what is not named stays. */
export function changedBudget(budget: Budget, change: SetBudget): Budget {
  const { counts = budget.counts, whenSpent = budget.whenSpent } = change;
  const limits = (['trials', 'hours', 'tokens', 'usd'] as const).map((key) => {
    const limit = change[key] === undefined ? budget[key] : change[key];
    return [key, limit ?? undefined] as const;
  });
  const set = limits.filter(([, limit]) => limit !== undefined);
  return { ...Object.fromEntries(set), counts, whenSpent };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
