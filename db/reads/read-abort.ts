import { and, eq, isNotNull } from 'drizzle-orm';
import { tally, type AbortTally } from '../../domain/abort/audit/tally.ts';
import type { Tx } from '../connect.ts';
import { runs, trials } from '../schema.ts';
import type { ResearchView } from './read-research.ts';

/** What early abort has done in a research; null where no run was judged. */
export async function readAbort(db: Tx, research: ResearchView): Promise<AbortTally | null> {
  const rows = await db
    .select({ record: runs.abort, value: trials.value })
    .from(runs)
    .innerJoin(trials, and(eq(trials.id, runs.trialId), eq(trials.placement, runs.placement)))
    .where(and(eq(trials.researchId, research.id), isNotNull(runs.abort), isNotNull(trials.status)));
  const judged = rows.flatMap(({ record, value }) => (record === null ? [] : [{ record, value }]));
  if (judged.length === 0) return null;
  const { metric, abort } = research.task;
  return tally(judged, { direction: metric.direction, target: abort.errorTarget });
}
