import type { Store } from '../../db/store.ts';
import { changedBudget } from '../../domain/research/budget.ts';
import type { SetBudget } from '../../domain/messages.ts';
import { fitOverrides, withSettings } from '../../domain/task/overrides.ts';
import type { Research } from '../../db/research/research.ts';
import { factsOf } from '../../domain/search/proposer/makers.ts';
import { updatePlanIn } from '../../domain/search/update/table.ts';
import type { Task } from '../../domain/task/task.ts';
import type { PickStatements } from '../deps.ts';
import { refuse } from '../task/refuse.ts';
import { renewRawBest } from './renew-raw-best.ts';
import { begunTask, recordOf } from './research-settings.ts';

export interface ReopenResearchInput {
  researchId: string;
  /** Absent keys leave the research as it is. */
  proposer?: string | undefined;
  budget?: SetBudget | undefined;
  notify?: string[] | undefined;
  sha256: (text: string) => string;
}

/**
 * Changes proposer and budget of a research that goes on. Its settings are recorded from the task version that it has
 * under the row lock, so that a simultaneous change of task is not undone.
 */
export const reopenResearch = (
  { withResearch }: Pick<Store, 'withResearch'>,
  { researchId, budget, notify, proposer: asked, sha256 }: ReopenResearchInput,
): Promise<void> =>
  withResearch(researchId, async (tx, research) => {
    const { task } = await tx.task.loadTaskVersion(research.taskHash);
    const proposer = asked ?? research.proposer;
    const named = withProposer(task, research, proposer);
    const before = withSettings(task, research.settings).search;
    const settled = proposer === research.proposer ? named : begunTask({ task: named, proposer, before });
    await tx.research.updateResearch(researchId, {
      proposer,
      ...recordOf(sha256, { task: settled, proposer }),
      ...(budget === undefined ? {} : { budget: changedBudget(research.budget, budget) }),
      ...(notify === undefined ? {} : { notify }),
      // Another proposer may find new candidates.
      ...(proposer === research.proposer ? {} : { withoutNew: 0 }),
    });
    // Version 0.2 cleared the raw best when a person discarded it, and did not store the verdict in the gate.
    if (research.gate.discardedByPerson === undefined) await renewRawBest(tx, research, research.gate);
  });

/**
 * The task with the settings of a research. The recorded settings are those of its present proposer; another one takes
 * the settings of the task, or the overrides.
 */
export function withProposer(
  task: Task,
  { settings, overrides, proposer: present }: Pick<Research, 'settings' | 'overrides' | 'proposer'>,
  proposer: string,
): Task {
  const known = withSettings(task, settings);
  if (proposer === present) return known;
  return { ...known, search: { ...known.search, proposer: fitOverrides(task, overrides).task.search.proposer } };
}

/** Refuses a change of task that would mix batches of a policy, or learn with other weights than the policy has. */
export async function requireSameLearning(
  store: PickStatements<'learning', 'countRollouts'>['store'],
  { research, before, after }: { research: Research; before: Task; after: Task },
): Promise<void> {
  const [old, changed] = [learningIn(before), learningIn(after)];
  const differs = (path: string): boolean => JSON.stringify(old[path]) !== JSON.stringify(changed[path]);
  const key = Object.keys({ ...old, ...changed }).find(differs);
  if (key === undefined || (await store.learning.countRollouts(research.id)) === 0) return;
  throw refuse(
    `${key}: expected ${JSON.stringify(old[key] ?? null)}, since research ${research.id} has drawn samples with it; ` +
      `got ${JSON.stringify(changed[key] ?? null)}; start the changed task under another workflow id (--id)`,
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
    'search.update.batch': batch,
    'search.update.group': group,
    'search.update.adapter': adapter,
    'search.proposer.base': base,
  };
}
