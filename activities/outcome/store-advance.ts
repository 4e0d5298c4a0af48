import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Advance, GateState } from '../../domain/gate/types.ts';
import { reasonOfClaim } from './reason-of-claim.ts';

/** Stores the step of a gate: its state, its rulings, its wanted runs, and a claim if it made one. */
export async function storeAdvance(
  tx: TxStore,
  { id: researchId, gate: before }: Pick<Research, 'id' | 'gate'>,
  { state, rulings, wanted, claimed }: Advance,
): Promise<void> {
  await tx.research.withdrawWantedRuns({ researchId, candidateIds: noLongerWanted(before, state) });
  for (const ruling of rulings) await tx.trial.writeRuling({ researchId, ...ruling });
  await tx.research.insertWantedRuns(researchId, wanted);
  await tx.research.updateResearch(researchId, { gate: state });
  if (!claimed) return;
  const reason = reasonOfClaim({ rulings, claimed });
  await tx.research.insertClaim({ researchId, ...claimed, reason, by: 'gate' });
}

/** Candidates with wanted runs before the step, and without any after it. */
function noLongerWanted(before: GateState, after: GateState): string[] {
  const wanted = new Set(after.asked.map(({ candidateId }) => candidateId));
  return [...new Set(before.asked.map(({ candidateId }) => candidateId))].filter((id) => !wanted.has(id));
}
