import { computeOf, type Compute } from '../../../view/rows/compute.ts';
import type { Tx } from '../../connect.ts';
import { findMeanCompute } from '../../trial/compute-used.ts';
import type { ResearchView } from '../read-research.ts';

/** The compute of a candidate's scored runs beside the baseline's, under the task of now: another may have another budget. */
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
