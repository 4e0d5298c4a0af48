import type { TxStore } from '../../db/store.ts';
import type { UpdatePlan } from '../../domain/search/update.ts';

/**
 * Makes the updates due whose batches have ended, each once, under the research's lock. Of a pinned policy they end at once: they
 * would all be learnt from when the pin is taken off.
 */
export async function markDue(
  tx: TxStore,
  { researchId, plan }: { researchId: string; plan: Pick<UpdatePlan, 'batch'> },
): Promise<void> {
  const due = await tx.learning.markDue({ researchId, size: plan.batch });
  if (due.length === 0) return;
  const { pinned } = await tx.learning.openPolicy(researchId);
  for (const k of due) {
    if (pinned) await tx.learning.endUpdate({ researchId, k, state: 'empty', reason: 'the policy was pinned' });
    else await tx.event.insertEvents([{ kind: 'update-due', researchId, data: { k, samples: plan.batch } }]);
  }
}
