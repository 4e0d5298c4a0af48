import { spendOf } from '../budget.ts';
import type { Phase } from '../phase.ts';
import { formatCount, formatUsd } from '../text/format.ts';
import type { Budget } from '../task/budget.ts';
import { hasEnded } from './phase.ts';

export interface Use {
  spent: number;
  /** Null where there is none. */
  limit: number | null;
}

/** Spend beside each limit. Trials are those of the kinds that count, under way included; hours exclude pauses. */
export interface BudgetUse {
  trials: Use;
  hours: Use;
  tokens: Use;
  usd: Use;
  /** The research's way on when a limit is reached. */
  whenSpent: 'stop' | 'wait';
}

/** Facts of a research that its admissions are decided by. */
export type BudgetFacts = Parameters<typeof spendOf>[0] & { budget: Budget };

/** Where a research stands in its budget, by the numbers that admissions are decided by. */
export function budgetUseOf(facts: BudgetFacts): BudgetUse {
  const { budget } = facts;
  const spend = spendOf(facts);
  const use = (key: keyof typeof KEYS): Use => ({ spent: spend[key], limit: budget[key] ?? null });
  return {
    trials: use('trials'),
    hours: use('hours'),
    tokens: use('tokens'),
    usd: use('usd'),
    whenSpent: budget.whenSpent,
  };
}

const KEYS = {
  trials: (n: number) => formatCount(n),
  hours: (n: number) => String(Number(n.toFixed(n < 10 ? 2 : 1))),
  tokens: (n: number) => formatCount(n),
  usd: (n: number) => formatUsd(n),
} as const;

/** The budget in words: spend of each limit (`n of m`), and what comes then in a research that has not ended. */
export function describeBudget(budget: BudgetUse, phase: Phase): string {
  const limited = (Object.keys(KEYS) as (keyof typeof KEYS)[]).flatMap((key) => describeUse(key, budget[key]));
  if (limited.length === 0) return 'no limit';
  if (hasEnded(phase)) return limited.join(' · ');
  const isOver = (Object.keys(KEYS) as (keyof typeof KEYS)[]).some((key) => isSpent(budget[key]));
  if (isOver) limited.push('spent: what runs, and what the gate still wants run, ends first');
  return `${limited.join(' · ')} · then it ${budget.whenSpent === 'stop' ? 'stops' : 'waits'}`;
}

const isSpent = ({ spent, limit }: Use): boolean => limit !== null && spent >= limit;

function describeUse(key: keyof typeof KEYS, { spent, limit }: Use): string[] {
  if (limit === null) return [];
  const format = KEYS[key];
  return [`${format(spent)} of ${format(limit)}${key === 'usd' ? '' : ` ${key}`}`];
}
