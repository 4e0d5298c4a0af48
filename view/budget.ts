import { budgetLimit, spendOf } from '../domain/research/budget.ts';
import type { Phase } from '../domain/research/phase.ts';
import { formatCount, formatSeconds, formatUsd } from '../domain/text/format.ts';
import { type Budget, type Limit, LIMITS } from '../domain/schema/budget.ts';
import { hasEnded } from './phase.ts';

export interface LimitUse {
  spent: number;
  /** Null if there is no limit. */
  limit: number | null;
}

/**
 * Spend and limit of each kind. `trials` counts trials of the kinds that count, under way included, except those that
 * ran nothing (`cached`, `rejected`) or that the database ended; these still count as `proposals`. `hours` excludes
 * pauses. `slotSeconds` counts ended runs.
 */
export interface BudgetUse {
  trials: LimitUse;
  /** The limit may be derived from the limit of `trials`. */
  proposals: LimitUse;
  hours: LimitUse;
  /** Hours since the last claim. */
  hoursWithoutClaim: LimitUse;
  slotSeconds: LimitUse;
  tokens: LimitUse;
  usd: LimitUse;
  /** Action of the research when a limit is reached. */
  whenSpent: 'stop' | 'wait';
}

/** Facts of a research on which its admissions depend. */
export type BudgetFacts = Parameters<typeof spendOf>[0] & { budget: Budget };

/** The use of a research's budget, from the same numbers as its admissions. */
export function budgetUseOf(facts: BudgetFacts): BudgetUse {
  const { budget } = facts;
  const spend = spendOf(facts);
  const use = (key: keyof typeof LABELS): LimitUse => ({ spent: spend[key], limit: budgetLimit(budget, key) });
  return {
    trials: use('trials'),
    proposals: use('proposals'),
    hours: use('hours'),
    hoursWithoutClaim: use('hoursWithoutClaim'),
    slotSeconds: use('slotSeconds'),
    tokens: use('tokens'),
    usd: use('usd'),
    whenSpent: budget.whenSpent,
  };
}

const count = (name: string): Label => ({ format: formatCount, name: ` ${name}` });

interface Label {
  format: (n: number) => string;
  /** Text after the limit. */
  name: string;
}

const formatHours = (n: number): string => String(Number(n.toFixed(n < 10 ? 2 : 1)));

const LABELS: Record<Limit, Label> = {
  trials: count('trials'),
  proposals: count('proposals'),
  hours: { format: formatHours, name: ' hours' },
  hoursWithoutClaim: { format: formatHours, name: ' hours without a claim' },
  slotSeconds: { format: formatSeconds, name: ' on slots' },
  tokens: count('tokens'),
  usd: { format: formatUsd, name: '' },
};

/** Describes a budget: the spend of each limit (`n of m trials used`), and for an open research what comes after it. */
export function describeBudget(budget: BudgetUse, phase: Phase): string {
  const limited = LIMITS.flatMap((key) => describeUse(LABELS[key], budget[key]));
  if (limited.length === 0) return 'no limit';
  if (hasEnded(phase)) return limited.join(' · ');
  if (LIMITS.some((key) => isSpent(budget[key])))
    limited.push('trials under way, and runs that the gate needs, end first');
  return `${limited.join(' · ')} · then the research ${budget.whenSpent === 'stop' ? 'stops' : 'waits'}`;
}

/** True if a limit is reached. */
export const isSpent = ({ spent, limit }: LimitUse): boolean => limit !== null && spent >= limit;

function describeUse({ format, name }: Label, use: LimitUse): string[] {
  if (use.limit === null) return [];
  return [`${format(use.spent)} of ${format(use.limit)}${name} ${isSpent(use) ? 'used up' : 'used'}`];
}
