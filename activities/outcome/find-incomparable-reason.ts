import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';

/**
 * The reason why a trial's value cannot be compared with values of its research now. Null if it can: metric and
 * evaluator are the same, and the candidate changes only files that are still mutable.
 */
export async function findIncomparableReason(tx: TxStore, research: Research, trial: Trial): Promise<string | null> {
  if (trial.taskHash === research.taskHash) return null;
  const usedVersion = await tx.task.loadTaskVersion(trial.taskHash);
  const current = await tx.task.loadTaskVersion(research.taskHash);
  if (usedVersion.metricKey !== current.metricKey) return 'scored by a metric that the task no longer has';
  if (trial.candidateId === null) return null;
  const { mutablePaths } = current;
  const [fixed] = await tx.trial.findImmutableFiles({ candidateIds: [trial.candidateId], mutablePaths });
  return fixed === undefined ? null : `${fixed.path}, which it changes, is no longer mutable`;
}
