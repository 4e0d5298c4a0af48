import type { AbortTally } from '../../../domain/abort/audit/tally.ts';
import type { Tx } from '../../connect.ts';
import type { ResearchView } from '../read-research.ts';
import { countJudgedRuns, readAbortTally, type JudgedCount } from './count-judged-runs.ts';

/** Reads the tally of a research of which so many trials have ended, both in one state of the database. */
export type AbortTallyReader = (
  db: Tx,
  input: { research: Pick<ResearchView, 'id' | 'createdAt'>; ended: number },
) => Promise<AbortTally | null>;

/** For one who looks again and again: there may be tens of thousands of runs, of which those are counted that ended since. */
export function createAbortTallyReader(): AbortTallyReader {
  const kept = new Map<string, JudgedCount>();
  return async (db, { research: { id, createdAt }, ended }) => {
    // Another database may have a research of that name.
    const key = `${createdAt.toISOString()} ${id}`;
    let counted = kept.get(key);
    if (counted?.ended !== ended) counted = await countJudgedRuns(db, id, counted);
    // Where a clock was set back, a trial ended before the last one.
    if (counted.ended !== ended) counted = await countJudgedRuns(db, id);
    kept.set(key, counted);
    return readAbortTally(db, id, counted);
  };
}
