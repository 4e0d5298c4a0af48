import { findFixedFiles } from '../../task/edit-scope.ts';
import type { Research } from '../../../db/research/research.ts';
import type { TxStore } from '../../../db/store.ts';
import type { ReadTrial } from '../../../db/tree/fill-tree.ts';
import { buildTree, type StoredNode } from '../../../domain/search/parent/build-tree.ts';
import type { StoredNiche } from '../../../domain/search/parent/niche.ts';
import { metricsOf, type Placement, placementOf } from './placement.ts';

/**
 * Builds the tree of a research from its trials, once: before the first choice by a rule that reads it, under each
 * version of the task. Returns the number of its nodes. The caller holds the research's lock.
 */
export async function fillTree(tx: TxStore, research: Research): Promise<number> {
  if (research.nodes !== null) return research.nodes;
  const { id: researchId, gate, gateConfig } = research;
  const placement = await placementOf(tx, research);
  const read = await tx.tree.readTreeTrials({
    researchId,
    sign: gateConfig.direction === 'minimize' ? -1 : 1,
    withMetrics: placement?.readsMetrics ?? false,
  });
  const fixed = await changedImmutableFiles(tx, { research, trials: read });
  const trials = read.map((trial) => (fixed.has(trial.candidateId) ? { ...trial, value: null } : trial));
  const { nodes, niches } = await nodesOf({ original: gate.baselineId, trials, placement });
  await tx.tree.storeTree({ researchId, nodes, niches });
  return nodes.length;
}

/** The nodes of a tree, with its niches. */
async function nodesOf(input: {
  original: string;
  trials: readonly ReadTrial[];
  placement: Placement | null;
}): Promise<{ nodes: StoredNode[]; niches: StoredNiche[] }> {
  const { original, placement } = input;
  const trials = input.trials.map((trial) => ({ ...trial, metrics: metricsOf(trial.metrics) }));
  if (placement === null) return { nodes: buildTree(original, trials), niches: [] };
  const scored = trials.flatMap(({ candidateId, value }) =>
    candidateId === null || value === null ? [] : candidateId,
  );
  const knobs = await placement.readKnobs([...new Set(scored)]);
  const nodes = buildTree(original, trials, ({ candidateId, ...placing }) =>
    placement.nicheOf({ ...placing, knobs: knobs[candidateId] ?? {} }),
  );
  const placed = new Map<string, number>();
  for (const { niche, seq } of nodes) if (niche !== null && !placed.has(niche)) placed.set(niche, seq);
  const chosen = trials.flatMap(({ kind, niche }) => (kind === 'search' ? (niche ?? []) : []));
  return { nodes, niches: placement.list({ placed, chosen }) };
}

/** Candidates of earlier versions of the task that change a file which is no longer mutable: no value compares. */
async function changedImmutableFiles(
  tx: TxStore,
  { research, trials }: { research: Research; trials: readonly ReadTrial[] },
): Promise<Set<string | null>> {
  const earlier = trials.filter(({ taskHash }) => taskHash !== research.taskHash);
  const candidateIds = [...new Set(earlier.flatMap(({ candidateId }) => candidateId ?? []))];
  if (candidateIds.length === 0) return new Set();
  const version = await tx.task.loadTaskVersion(research.taskHash);
  const fixed = await findFixedFiles(tx, { candidateIds, version });
  return new Set(fixed.map(({ id }) => id));
}
