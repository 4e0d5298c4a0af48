import type { BudgetUse, Use } from '../../db/reads/budget-use.ts';
import type { Phase } from '../../domain/phase.ts';
import { formatCount, formatUsd } from './number.ts';

const KEYS = {
  trials: (n: number) => formatCount(n),
  hours: (n: number) => String(Number(n.toFixed(n < 10 ? 2 : 1))),
  tokens: (n: number) => formatCount(n),
  usd: (n: number) => formatUsd(n),
} as const;

/** What is spent of each limit, and what comes then, where anything still comes. */
export function describeBudget(budget: BudgetUse, phase: Phase): string {
  const limited = (Object.keys(KEYS) as (keyof typeof KEYS)[]).flatMap((key) => describeUse(key, budget[key]));
  if (limited.length === 0) return 'no limit';
  if (phase === 'stopped' || phase === 'failed') return limited.join(' · ');
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
