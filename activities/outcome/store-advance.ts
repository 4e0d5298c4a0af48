import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Advance, GateState } from '../../domain/gate/types.ts';

/** Stores what a gate concluded: its state, its rulings, the runs that it asks for, and a claim if it made one. */
export async function storeAdvance(
  tx: TxStore,
  { id: researchId, gate: before }: Pick<Research, 'id' | 'gate'>,
  { state, rulings, wants, claimed }: Advance,
): Promise<void> {
  await tx.research.withdrawWants({ researchId, candidateIds: candidatesLost(before, state) });
  for (const ruling of rulings) await tx.trial.writeRuling({ researchId, ...ruling });
  await tx.research.insertWants(researchId, wants);
  await tx.research.updateResearch(researchId, { gate: state });
  if (!claimed) return;
  // One trial may settle several that waited; the claim is the last of them.
  const keeps = rulings.filter((ruling) => ruling.verdict === 'keep');
  const reason = (keeps.find((ruling) => ruling.n === claimed.ofTrial) ?? keeps.at(-1))?.reason ?? 'claimed';
  await tx.research.insertClaim({ researchId, ...claimed, reason, by: 'gate' });
}

/** Candidates of which runs had been asked for, and are not any more. */
function candidatesLost(before: GateState, after: GateState): string[] {
  const asked = new Set(after.asked.map(({ candidateId }) => candidateId));
  return [...new Set(before.asked.map(({ candidateId }) => candidateId))].filter((id) => !asked.has(id));
}
