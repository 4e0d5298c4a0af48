import { type Budget, LIMITS } from '../schema/budget.ts';

/** A changed key of a budget, with both values in words. */
export interface BudgetKeyChange {
  key: string;
  from: string;
  to: string;
}

/** The keys in which two budgets differ. */
export const budgetChanges = (before: Budget, after: Budget): BudgetKeyChange[] =>
  ([...LIMITS, 'counts', 'whenSpent'] as const)
    .map((key) => ({ key, from: textOf(before[key]), to: textOf(after[key]) }))
    .filter(({ from, to }) => from !== to);

const textOf = (value: number | string | readonly string[] | undefined): string => (value ?? 'none').toString();
