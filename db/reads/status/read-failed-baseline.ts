import { failedBaseline, type FailedBaseline } from '../../../domain/research/failed-baseline.ts';
import type { Tx } from '../../connect.ts';
import { readRecent } from '../read-log.ts';
import type { ResearchView } from '../read-research.ts';

/** Trials that are looked at: nothing else ends before the baseline is measured but proposals that wait for it. */
const LIMIT = 20;

/** Runs of a baseline that is not measured yet, as far as they failed; null where none did. */
export const readFailedBaseline = async (
  db: Tx,
  { id: researchId, baselineCandidate }: Pick<ResearchView, 'id' | 'baselineCandidate'>,
): Promise<FailedBaseline | null> =>
  failedBaseline(await readRecent(db, { researchId, limit: LIMIT }), baselineCandidate);
