import type { Trial } from '../../db/trial/proposal.ts';
import { mostCpuSeconds } from '../../domain/job/charge.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ActivityDeps } from '../deps.ts';

/** CPU seconds that a trial may use, its answers included, by its budget and what is known by now; null for no limit. */
export async function mostCpuOf(
  { store }: Pick<ActivityDeps, 'store'>,
  { researchId, taskHash, candidateId }: Pick<Trial, 'researchId' | 'taskHash' | 'candidateId'>,
  { run: { budget } }: Task,
): Promise<number | null> {
  // Only reference seconds come to what a core makes of them.
  if (budget.kind !== 'reference') return mostCpuSeconds(budget, null);
  const unmodified = await store.trial.findBaselineCompute({ researchId, taskHash });
  return mostCpuSeconds(budget, unmodified?.candidateId === candidateId ? null : (unmodified?.most ?? null));
}
