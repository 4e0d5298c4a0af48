import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import { isBaselineGivenUp } from '../../domain/gate/gate.ts';
import { sampleRoom, type SampleRoom } from '../../domain/learning/sample-position.ts';
import { updatePlanIn } from '../../domain/search/update/table.ts';
import { markDue } from './mark-due.ts';

/** Room for samples of a policy that learns, and the update that is due, if any. */
export interface LearningState extends SampleRoom {
  /**
   * Number of the due update. Updates run one at a time, since each starts from the version that the one before made.
   */
  due: number | null;
}

/** Reads the state of a research's learning; null if nothing learns. The caller holds the research's lock. */
export async function readLearningState(tx: TxStore, research: Research): Promise<LearningState | null> {
  const plan = updatePlanIn(research.settings?.search ?? {});
  if (plan === null) return null;
  const { id, gate } = research;
  const { halted, pinned } = await tx.learning.findOrInsertPolicy(id);
  // A reward compares with the baseline, so there is no reward to learn from before the baseline is measured.
  if (gate.calibrating && !isBaselineGivenUp(gate))
    return { room: 0, waits: 'the baseline is being measured', due: null };
  // The outcome that completes a batch marks its update as due. Two kinds of batch get no such outcome: one whose last
  // outcome came while another proposer was in use, and one that lacks only samples that come too late.
  await markDue({ tx, research, gate }, plan);
  const { closed, due, open } = await tx.learning.countUpdates(id);
  const joined = await tx.learning.countRollouts(id);
  const room = sampleRoom(plan, { closed, due, joined, open, halted, pinned });
  return { ...room, due: halted === null && !pinned ? due : null };
}
