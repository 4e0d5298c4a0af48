import { computeOf, type Compute } from '../../../view/rows/compute.ts';
import type { Tx } from '../../connect.ts';
import { findMeanCompute } from '../../trial/compute-used.ts';
import type { ResearchView } from '../read-research.ts';

/**
 * Compute of a candidate's scored runs beside the baseline's, under the current task version: another version may have
 * another budget. Null for the baseline itself.
 */
export async function readCompute(
  db: Tx,
  {
    research,
    candidateId,
  }: { research: Pick<ResearchView, 'id' | 'taskHash' | 'task' | 'baselineCandidate'>; candidateId: string },
): Promise<Compute | null> {
  const { id: researchId, taskHash, task, baselineCandidate } = research;
  if (candidateId === baselineCandidate) return null;
  const candidateIds = [candidateId, baselineCandidate];
  const means = await findMeanCompute(db, { researchId, taskHash, candidateIds });
  return computeOf(task.run.budget, { used: means.get(candidateId), baseline: means.get(baselineCandidate) });
}
