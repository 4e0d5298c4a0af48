import { meanWith } from '../../../domain/search/observations.ts';
import type { Conclusions, Outcome } from '../observer.ts';
import { isOutsideSearch } from '../../../domain/trial.ts';

/**
 * Adds an outcome to the tree of a research that keeps one. Every trial leaves its parent; only a score is a value. A
 * trial outside the search adds nothing.
 */
export async function keepTree({ tx, research, trial, incomparableReason }: Outcome): Promise<Partial<Conclusions>> {
  if (research.nodes === null || isOutsideSearch(trial)) return {};
  const { id: researchId, gate, gateConfig, nodes: seq } = research;
  const { kind, candidateId, parentId, status } = trial;
  if (kind === 'search' && parentId !== null) await tx.tree.countInFlight({ researchId, candidateId: parentId });
  if (candidateId === null || status !== 'completed' || trial.value === null || incomparableReason !== null) return {};
  const value = gateConfig.direction === 'minimize' ? 0 - trial.value : trial.value;
  const key = { researchId, candidateId };
  const node = await tx.tree.findNode(key);
  if (node === undefined) {
    await tx.tree.insertNode({ ...key, parentId, original: gate.baselineId, seq });
    await tx.research.updateResearch(researchId, { nodes: seq + 1 });
  }
  const before = node ?? { value: null, runs: 0 };
  await tx.tree.moveNode({ ...key, value: meanWith(before, value), runs: before.runs + 1 });
  return {};
}
