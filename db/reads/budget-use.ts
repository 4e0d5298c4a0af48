import { spendOf, type Spend } from '../../domain/budget.ts';
import type { ResearchView } from './read-research.ts';

export interface Use {
  spent: number;
  /** Null where there is none. */
  limit: number | null;
}

/** What is spent of each limit. Trials are those of the kinds that count, under way included; hours are without pauses. */
export interface BudgetUse {
  trials: Use;
  hours: Use;
  tokens: Use;
  usd: Use;
  /** What happens when a limit is reached. */
  whenSpent: 'stop' | 'wait';
}

/** Where a research stands in its budget, by the numbers that admissions are decided by. */
export function budgetUseOf(research: ResearchView): BudgetUse {
  const { budget } = research;
  const spend = spendOf(research);
  const use = (key: keyof Spend): Use => ({ spent: spend[key], limit: budget[key] ?? null });
  return {
    trials: use('trials'),
    hours: use('hours'),
    tokens: use('tokens'),
    usd: use('usd'),
    whenSpent: budget.whenSpent,
  };
}
