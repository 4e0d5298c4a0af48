import type { Store } from '../../db/store.ts';
import { changedBudget } from '../../domain/research/budget.ts';
import type { SetBudget } from '../../domain/messages.ts';
import { fitOverrides, withSettings } from '../../domain/search/overrides.ts';
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
    const known = withSettings(task, research.settings);
    // The record has the settings of the proposer before; those of another one are the task's, or the research's own.
    const named = proposer === research.proposer ? known : fitOverrides(task, research.overrides).task;
    const search = { ...known.search, proposer: named.search.proposer };
    await tx.research.updateResearch(researchId, {
      proposer,
      ...recordOf(sha256, { task: { ...known, search }, proposer }),
      ...(budget === undefined ? {} : { budget: changedBudget(research.budget, budget) }),
      // Another proposer may know what the one before did not.
      ...(proposer === research.proposer ? {} : { withoutNew: 0 }),
    });
  });
