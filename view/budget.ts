import { budgetLimit, spendOf } from '../domain/research/budget.ts';
import type { Phase } from '../domain/research/phase.ts';
import { formatCount, formatSeconds, formatUsd } from '../domain/text/format.ts';
import { type Budget, type Limit, LIMITS } from '../domain/schema/budget.ts';
import { hasEnded } from './phase.ts';

export interface LimitUse {
  spent: number;
  /** Null where there is none. */
  limit: number | null;
}

/**
 * Spend beside each limit. Trials are those of the kinds that count, under way included, without those that ran nothing
 * (`cached`, `rejected`), which are proposals all the same; hours exclude pauses; seconds on slots are those of ended runs.
 */
export interface BudgetUse {
  trials: LimitUse;
  /** The limit that follows from that of the trials is there, too. */
  proposals: LimitUse;
  hours: LimitUse;
  slotSeconds: LimitUse;
  tokens: LimitUse;
  usd: LimitUse;
  /** The research's way on when a limit is reached. */
  whenSpent: 'stop' | 'wait';
}

/** Facts of a research that its admissions are decided by. */
export type BudgetFacts = Parameters<typeof spendOf>[0] & { budget: Budget };

/** Where a research stands in its budget, by the numbers that admissions are decided by. */
export function budgetUseOf(facts: BudgetFacts): BudgetUse {
  const { budget } = facts;
  const spend = spendOf(facts);
  const use = (key: keyof typeof WORDS): LimitUse => ({ spent: spend[key], limit: budgetLimit(budget, key) });
  return {
    trials: use('trials'),
    proposals: use('proposals'),
    hours: use('hours'),
    slotSeconds: use('slotSeconds'),
    tokens: use('tokens'),
    usd: use('usd'),
    whenSpent: budget.whenSpent,
  };
}

const count = (name: string): Words => ({ format: formatCount, name: ` ${name}` });

interface Words {
  format: (n: number) => string;
  /** Behind the limit. */
  name: string;
}

const WORDS: Record<Limit, Words> = {
  trials: count('trials'),
  proposals: count('proposals'),
  hours: { format: (n) => String(Number(n.toFixed(n < 10 ? 2 : 1))), name: ' hours' },
  slotSeconds: { format: formatSeconds, name: ' on slots' },
  tokens: count('tokens'),
  usd: { format: formatUsd, name: '' },
};

/** The budget in words: spend of each limit (`n of m`), and what comes then in a research that has not ended. */
export function describeBudget(budget: BudgetUse, phase: Phase): string {
  const limited = LIMITS.flatMap((key) => describeUse(WORDS[key], budget[key]));
  if (limited.length === 0) return 'no limit';
  if (hasEnded(phase)) return limited.join(' · ');
  if (LIMITS.some((key) => isSpent(budget[key])))
    limited.push('spent: what runs, and what the gate still wants run, ends first');
  return `${limited.join(' · ')} · then it ${budget.whenSpent === 'stop' ? 'stops' : 'waits'}`;
}

/** Whether a limit is reached. */
export const isSpent = ({ spent, limit }: LimitUse): boolean => limit !== null && spent >= limit;

const describeUse = ({ format, name }: Words, { spent, limit }: LimitUse): string[] =>
  limit === null ? [] : [`${format(spent)} of ${format(limit)}${name}`];
