import type { Store } from '../../db/store.ts';
import { changedBudget } from '../../domain/research/budget.ts';
import type { SetBudget } from '../../domain/messages.ts';
import { withSettings } from '../../domain/search/overrides.ts';
import { recordOf } from './own-settings.ts';

export interface GoOnWithInput {
  researchId: string;
  /** Absent keys leave the research as it is. */
  proposer?: string | undefined;
  budget?: SetBudget | undefined;
  sha256: (text: string) => string;
}

/**
 * Gives a research that goes on another proposer and budget, under its row's lock: the record of its method is made from
 * the version that it has then, so that a change of task at the same time is never undone.
 */
export const goOnWith = (
  { withResearch }: Pick<Store, 'withResearch'>,
  { researchId, budget, proposer: asked, sha256 }: GoOnWithInput,
): Promise<void> =>
  withResearch(researchId, async (tx, research) => {
    const { task } = await tx.task.loadTaskVersion(research.taskHash);
    const proposer = asked ?? research.proposer;
    await tx.research.updateResearch(researchId, {
      proposer,
      ...recordOf(sha256, { task: withSettings(task, research.settings), proposer }),
      ...(budget === undefined ? {} : { budget: changedBudget(research.budget, budget) }),
      // Another proposer may know what the one before did not.
      ...(proposer === research.proposer ? {} : { withoutNew: 0 }),
    });
  });
