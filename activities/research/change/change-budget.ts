import type { Store } from '../../../db/store.ts';
import { changedBudget } from '../../../domain/research/budget.ts';
import type { SetBudget } from '../../../domain/messages.ts';
import type { Budget } from '../../../domain/task/schema/budget.ts';

/** Changes the named limits of a budget under the research's row lock: of two changes at once neither is lost. */
export const changeBudget = (
  { withResearch }: Pick<Store, 'withResearch'>,
  input: { researchId: string; change: SetBudget },
): Promise<Budget> =>
  withResearch(input.researchId, async (tx, research) => {
    const budget = changedBudget(research.budget, input.change);
    await tx.research.updateResearch(research.id, { budget });
    return budget;
  });
