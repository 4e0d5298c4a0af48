import { meanWith } from '../../../domain/search/observations.ts';
import { metricsOf, placementOf } from '../../propose/parent/placement.ts';
import type { Conclusions, Outcome } from '../observer.ts';
import { isOutsideSearch } from '../../../domain/trial.ts';

/**
 * Adds an outcome to the tree of a research that keeps one. Every trial leaves its parent; only a score is a value. A
 * trial outside the search adds nothing.
 */
export async function keepTree(outcome: Outcome): Promise<Partial<Conclusions>> {
  const { tx, research, trial, incomparableReason } = outcome;
  if (research.nodes === null || isOutsideSearch(trial)) return {};
  const { id: researchId, gate, gateConfig, nodes: seq } = research;
  const { kind, candidateId, parentId, status } = trial;
  if (kind === 'search' && parentId !== null) await tx.tree.countInFlight({ researchId, candidateId: parentId });
  if (candidateId === null || status !== 'completed' || trial.value === null || incomparableReason !== null) return {};
  const value = gateConfig.direction === 'minimize' ? 0 - trial.value : trial.value;
  const key = { researchId, candidateId };
  const node = await tx.tree.findNode(key);
  let parentNiche: string | null = null;
  if (node === undefined) {
    parentNiche = await tx.tree.insertNode({ ...key, parentId, original: gate.baselineId, seq });
    await tx.research.updateResearch(researchId, { nodes: seq + 1 });
  }
  const before = node ?? { value: null, runs: 0 };
  if (before.runs === 0) await place(outcome, { ...key, parentNiche, seq: node === undefined ? seq : 0 });
  await tx.tree.moveNode({ ...key, value: meanWith(before, value), runs: before.runs + 1 });
  return {};
}

/** Puts a node into its niche at its first score. Only the original is a node without a score. */
async function place(
  { tx, research, trial }: Outcome,
  { parentNiche, seq, ...key }: { researchId: string; candidateId: string; parentNiche: string | null; seq: number },
): Promise<void> {
  const placement = await placementOf(tx, research);
  if (placement === null) return;
  const { [key.candidateId]: knobs = {} } = await placement.readKnobs([key.candidateId]);
  const niche = placement.nicheOf({
    isOriginal: key.candidateId === research.gate.baselineId,
    seq,
    parentNiche,
    chosenNiche: trial.niche,
    knobs,
    metrics: placement.readsMetrics ? metricsOf(trial.metrics) : {},
  });
  if (niche !== null) await tx.tree.placeNode({ ...key, niche, seq });
}
