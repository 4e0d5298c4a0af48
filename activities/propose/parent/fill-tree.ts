import type { Research } from '../../../db/research/research.ts';
import type { TxStore } from '../../../db/store.ts';
import type { ReadTrial } from '../../../db/tree/fill-tree.ts';
import { buildTree } from '../../../domain/search/parent/build-tree.ts';

/**
 * Builds the tree of a research from its trials, once: before the first choice by a rule that reads it, under each
 * version of the task. Returns the number of its nodes. The caller holds the research's lock.
 */
export async function fillTree(tx: TxStore, research: Research): Promise<number> {
  if (research.nodes !== null) return research.nodes;
  const { id: researchId, gate, gateConfig } = research;
  const trials: ReadTrial[] = [];
  for await (const batch of tx.tree.readTreeTrials({
    researchId,
    sign: gateConfig.direction === 'minimize' ? -1 : 1,
  })) {
    const fixed = await changedImmutableFiles(tx, { research, batch });
    trials.push(...batch.map((trial) => (fixed.has(trial.candidateId) ? { ...trial, value: null } : trial)));
  }
  const nodes = buildTree(gate.baselineId, trials);
  await tx.tree.storeTree({ researchId, nodes });
  return nodes.length;
}

/** Candidates of earlier versions of the task that change a file which is no longer mutable: no value compares. */
async function changedImmutableFiles(
  tx: TxStore,
  { research, batch }: { research: Research; batch: readonly ReadTrial[] },
): Promise<Set<string | null>> {
  const earlier = batch.filter(({ taskHash }) => taskHash !== research.taskHash);
  const candidateIds = [...new Set(earlier.flatMap(({ candidateId }) => candidateId ?? []))];
  if (candidateIds.length === 0) return new Set();
  const { mutablePaths } = await tx.task.loadTaskVersion(research.taskHash);
  const fixed = await tx.trial.findImmutableFiles({ candidateIds, mutablePaths });
  return new Set(fixed.map(({ id }) => id));
}
