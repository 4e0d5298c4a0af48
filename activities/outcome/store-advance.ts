import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Advance, GateState } from '../../domain/gate/types.ts';
import { reasonOfClaim } from './reason-of-claim.ts';

/** Stores what a gate concluded: its state, its rulings, the runs that it asks for, and a claim if it made one. */
export async function storeAdvance(
  tx: TxStore,
  { id: researchId, gate: before }: Pick<Research, 'id' | 'gate'>,
  { state, rulings, wants, claimed }: Advance,
): Promise<void> {
  await tx.research.withdrawWantedRuns({ researchId, candidateIds: candidatesLost(before, state) });
  for (const ruling of rulings) await tx.trial.writeRuling({ researchId, ...ruling });
  await tx.research.insertWantedRuns(researchId, wants);
  await tx.research.updateResearch(researchId, { gate: state });
  if (!claimed) return;
  const reason = reasonOfClaim({ rulings, claimed });
  await tx.research.insertClaim({ researchId, ...claimed, reason, by: 'gate' });
}

/** Candidates of which runs had been asked for, and are not any more. */
function candidatesLost(before: GateState, after: GateState): string[] {
  const asked = new Set(after.asked.map(({ candidateId }) => candidateId));
  return [...new Set(before.asked.map(({ candidateId }) => candidateId))].filter((id) => !asked.has(id));
}
