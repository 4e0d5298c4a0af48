import { failedBaseline, type FailedBaseline } from '../../../domain/research/failed-baseline.ts';
import type { Tx } from '../../connect.ts';
import { readRecent } from '../read-log.ts';
import type { ResearchView } from '../read-research.ts';

/** Trials that are read: until the baseline is measured, only its runs and proposals that wait for it end. */
const LIMIT = 20;

/** Failed runs of a baseline that is not measured yet, without those of a busy machine; null if none failed. */
export async function readFailedBaseline(
  db: Tx,
  { id: researchId, baselineCandidate }: Pick<ResearchView, 'id' | 'baselineCandidate'>,
): Promise<FailedBaseline | null> {
  const recent = await readRecent(db, { researchId, limit: LIMIT });
  return failedBaseline(
    recent.filter(({ failure }) => failure !== 'contended'),
    baselineCandidate,
  );
}
