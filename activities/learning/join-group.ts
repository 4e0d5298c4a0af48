import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import { placeOf } from '../../domain/learning/place.ts';
import { planIn } from '../../domain/search/update/table.ts';
import type { Task } from '../../domain/task/task.ts';

/** A parent, and why that one. */
export interface Chosen {
  candidateId: string;
  reason: string;
}

/**
 * Makes a trial a member of the group that is being filled, under the research's lock; the first member's parent and version of
 * the policy are those of all. Without learning each trial is a group of its own. Repeated, it returns the same.
 */
export async function joinGroup(
  tx: TxStore,
  of: { research: Research; trial: Trial; task: Task; choose: () => Promise<Chosen> },
): Promise<Chosen> {
  const { trial, task } = of;
  const { researchId } = trial;
  const known = await tx.learning.findGroup(trial.id);
  if (known) return { candidateId: known.parentId, reason: known.parentReason };
  const seq = (await tx.learning.countRollouts(researchId)) + 1;
  const { g, k } = placeOf(seq, planIn(task.search));
  const open = await tx.learning.findGroupByNumber({ researchId, g });
  const chosen = open ? { candidateId: open.parentId, reason: open.parentReason } : await of.choose();
  if (!open) {
    const { inForce } = await tx.learning.openPolicy(researchId);
    const { candidateId: parentId, reason: parentReason } = chosen;
    await tx.learning.insertGroup({ researchId, g, parentId, parentReason, version: inForce });
  }
  await tx.learning.insertRollout({ trialId: trial.id, researchId, seq, g, k });
  return chosen;
}
