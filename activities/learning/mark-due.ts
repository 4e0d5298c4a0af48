import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import { lateAfter } from '../../domain/learning/late.ts';
import type { UpdatePlan } from '../../domain/learning/plan.ts';

/**
 * Makes each update due, once, whose batch has ended. The caller holds the research's lock. An update of a pinned
 * policy ends at once: otherwise the policy would learn from all of them when the pin is removed.
 */
export async function markDue(
  tx: TxStore,
  { id: researchId, taskHash }: Pick<Research, 'id' | 'taskHash'>,
  plan: Pick<UpdatePlan, 'batch' | 'lateSeconds'>,
): Promise<void> {
  const lateSeconds = lateAfter(plan, await tx.task.findRunSeconds(taskHash));
  const due = await tx.learning.createDueUpdates({ researchId, size: plan.batch, lateSeconds });
  if (due.length === 0) return;
  const { pinned } = await tx.learning.findOrInsertPolicy(researchId);
  for (const { k, samples } of due) {
    if (pinned) await tx.learning.endUpdate({ researchId, k, state: 'empty', reason: 'the policy was pinned' });
    else await tx.event.insertEvents([{ kind: 'update-due', researchId, data: { k, samples } }]);
  }
}
