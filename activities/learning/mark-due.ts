import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { GateState } from '../../domain/gate/types.ts';
import { rewardIn } from '../../domain/search/reward/table.ts';
import { fixRewards } from '../outcome/reward/fix-rewards.ts';
import { waitsForBaseline } from '../outcome/reward/reward-of-value.ts';
import { lateAfter } from '../../domain/learning/late.ts';
import type { UpdatePlan } from '../../domain/learning/plan.ts';

/**
 * Makes each update due, once, whose batch has ended, and fixes the rewards of its batch. No update becomes due while
 * rewards wait for the baseline. The caller holds the research's lock. An update of a pinned policy ends at once:
 * otherwise the policy would learn from all of them when the pin is removed.
 */
export async function markDue(
  { tx, research, gate }: { tx: TxStore; research: Research; gate: GateState },
  plan: Pick<UpdatePlan, 'batch' | 'lateSeconds'>,
): Promise<void> {
  const { id: researchId, taskHash } = research;
  const rule = rewardIn(research.settings?.search ?? {});
  if (rule && waitsForBaseline({ rule, gate })) return;
  const lateSeconds = lateAfter(plan, await tx.task.findRunSeconds(taskHash));
  const due = await tx.learning.createDueUpdates({ researchId, size: plan.batch, lateSeconds });
  if (due.length === 0) return;
  const { pinned } = await tx.learning.findOrInsertPolicy(researchId);
  for (const { k, samples } of due) {
    if (rule) await fixRewards({ tx, research, gate, rule }, k);
    if (pinned) await tx.learning.endUpdate({ researchId, k, state: 'empty', reason: 'the policy was pinned' });
    else await tx.event.insertEvents([{ kind: 'update-due', researchId, data: { k, samples } }]);
  }
}
