import type { Store } from '../../db/store.ts';
import { changedBudget } from '../../domain/research/budget.ts';
import type { SetBudget } from '../../domain/messages.ts';
import { fitOverrides, withSettings } from '../../domain/task/overrides.ts';
import type { Research } from '../../db/research/research.ts';
import { factsOf } from '../../domain/search/proposer/makers.ts';
import { updatePlanIn } from '../../domain/search/update/table.ts';
import type { Task } from '../../domain/task/task.ts';
import type { PickStatements } from '../deps.ts';
import { refuse } from '../task/require-runnable.ts';
import { recordOf } from './research-settings.ts';

export interface ReopenResearchInput {
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
export const reopenResearch = (
  { withResearch }: Pick<Store, 'withResearch'>,
  { researchId, budget, proposer: asked, sha256 }: ReopenResearchInput,
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

/** Refuses a change of task that would tear a policy's batches apart, or learn with other weights than it has. */
export async function requireSameLearning(
  store: PickStatements<'learning', 'countRollouts'>['store'],
  { research, before, after }: { research: Research; before: Task; after: Task },
): Promise<void> {
  const [was, is] = [learningIn(before), learningIn(after)];
  const key = Object.keys({ ...was, ...is }).find((one) => JSON.stringify(was[one]) !== JSON.stringify(is[one]));
  if (key === undefined || (await store.learning.countRollouts(research.id)) === 0) return;
  throw refuse(
    `${key}: expected ${JSON.stringify(was[key] ?? null)}, with which research ${research.id} has drawn samples, came ${JSON.stringify(is[key] ?? null)}; start the changed task under another workflow id`,
    'BadTask',
  );
}

/** Settings that samples and versions of a policy depend on, by their paths. */
function learningIn({ search }: Task): Record<string, unknown> {
  const plan = updatePlanIn(search);
  if (plan === null) return {};
  const { batch, group, adapter } = plan;
  const base = factsOf(search.proposer).learners[0]?.settings['base'];
  return {
    ...{ 'search.update.batch': batch, 'search.update.group': group, 'search.update.adapter': adapter },
    'search.proposer.base': base,
  };
}
