import type { AbortTally } from '../../../domain/abort/audit/tally.ts';
import type { Tx } from '../../connect.ts';
import type { ResearchView } from '../read-research.ts';
import { countJudgedRuns, readAbortTally, type JudgedCount, type TallyVersions } from './count-judged-runs.ts';

/** Reads a research's tally. `ended`: number of its ended trials, in the same state of the database. */
export type AbortTallyReader = (
  db: Tx,
  input: { research: Pick<ResearchView, 'id' | 'createdAt'>; ended: number },
) => Promise<AbortTally | null>;

/**
 * Creates a reader for repeated reads. It keeps its counts, and adds the runs that ended since: there may be tens of
 * thousands.
 */
export function createAbortTallyReader(): AbortTallyReader {
  const kept = new Map<string, JudgedCount>();
  const versions: TallyVersions = new Map();
  return async (db, { research: { id, createdAt }, ended }) => {
    // Another database may have a research with the same id.
    const key = `${createdAt.toISOString()} ${id}`;
    let counted = kept.get(key);
    if (counted?.ended !== ended) counted = await countJudgedRuns(db, id, counted);
    // If a clock was set back, a trial ended before the last counted one: counts all again.
    if (counted.ended !== ended) counted = await countJudgedRuns(db, id);
    kept.set(key, counted);
    return readAbortTally(db, { researchId: id, versions }, counted);
  };
}
