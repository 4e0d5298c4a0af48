import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { GateState } from '../../domain/gate/types.ts';

/**
 * Reads the best run of a proposal again: a person's verdict, or a change of task, takes runs away or gives them back,
 * and the gate remembers only one. Call this after verdict and change are stored.
 */
export async function renewRawBest(
  tx: TxStore,
  { id, gateConfig }: Pick<Research, 'id' | 'gateConfig'>,
  gate: GateState,
): Promise<void> {
  const discardedByPerson = await tx.research.findDiscardedByPerson(id);
  const rawBest = gateConfig.measuresOnly
    ? null
    : await tx.research.findRawBest({ researchId: id, sign: gate.sign, without: discardedByPerson });
  await tx.research.updateResearch(id, { gate: { ...gate, rawBest, discardedByPerson } });
}
