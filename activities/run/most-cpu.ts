import type { Trial } from '../../db/trial/proposal.ts';
import { mostCpuSeconds } from '../../domain/job/charge.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ActivityDeps } from '../deps.ts';

/** CPU seconds that a trial may use, answers to its evaluator included; null: no limit. */
export async function mostCpuOf(
  { store }: Pick<ActivityDeps, 'store'>,
  { researchId, taskHash, candidateId }: Pick<Trial, 'researchId' | 'taskHash' | 'candidateId'>,
  { run: { budget } }: Task,
): Promise<number | null> {
  // Only reference seconds need the CPU seconds that the baseline took.
  if (budget.kind !== 'reference') return mostCpuSeconds(budget, null);
  const unmodified = await store.trial.findBaselineCompute({ researchId, taskHash });
  return mostCpuSeconds(budget, unmodified?.candidateId === candidateId ? null : (unmodified?.most ?? null));
}
