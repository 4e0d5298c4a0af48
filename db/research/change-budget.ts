import { changedBudget } from '../../domain/budget.ts';
import type { SetBudget } from '../../domain/messages.ts';
import type { Budget } from '../../domain/task/budget.ts';
import type { Db } from '../connect.ts';
import { lockResearch, updateResearch } from './research.ts';

/** Changes the named limits of a budget under the research's row lock: of two changes at once neither is lost. */
export async function changeBudget(db: Db, input: { researchId: string; change: SetBudget }): Promise<Budget> {
  return db.transaction(async (tx) => {
    const research = await lockResearch(tx, input.researchId);
    const budget = changedBudget(research.budget, input.change);
    await updateResearch(tx, research.id, { budget });
    return budget;
  });
}
