import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import { checkBounds } from '../../domain/metric/read-metric.ts';
import { findFixedFiles } from '../task/edit-scope.ts';
import type { Trial } from '../../db/trial/proposal.ts';

/**
 * The reason why a trial's value cannot be compared with values of its research now. Null if it can: metric and
 * evaluator are the same, the value lies within the bounds, and the candidate changes only files that are mutable.
 */
export async function findIncomparableReason(tx: TxStore, research: Research, trial: Trial): Promise<string | null> {
  if (trial.taskHash === research.taskHash) return null;
  const usedVersion = await tx.task.loadTaskVersion(trial.taskHash);
  const current = await tx.task.loadTaskVersion(research.taskHash);
  if (usedVersion.metricKey !== current.metricKey) return 'scored by a metric that the task no longer has';
  const checked = trial.value === null ? null : checkBounds(trial.value, current.task.metric);
  if (checked?.ok === false) return `outside the new bounds: ${checked.message}`;
  if (trial.candidateId === null) return null;
  const [fixed] = await findFixedFiles(tx, { candidateIds: [trial.candidateId], version: current });
  return fixed === undefined ? null : `${fixed.path}, which it changes, is no longer mutable`;
}
