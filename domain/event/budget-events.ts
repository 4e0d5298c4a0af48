import { budgetLimit, type Spend } from '../research/budget.ts';
import { type Budget, LIMITS } from '../schema/budget.ts';
import type { NewEvent } from './kinds.ts';

/** Shares of a limit, in percent, that are reported when they are reached; the greatest first. */
export const REPORTED_SHARES = [100, 80, 50] as const;

/** Events for the greatest share that each limit of a budget has reached. The store keeps each share once. */
export function budgetEvents(researchId: string, budget: Budget, spend: Spend): NewEvent[] {
  return LIMITS.flatMap((limit): NewEvent[] => {
    const total = budgetLimit(budget, limit);
    if (total === null || total <= 0) return [];
    const spent = spend[limit];
    const share = REPORTED_SHARES.find((percent) => spent * 100 >= total * percent);
    return share === undefined ? [] : [{ kind: 'budget-share', researchId, data: { limit, share, spent, of: total } }];
  });
}
