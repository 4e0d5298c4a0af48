import { sql } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';

/**
 * Claims, as `id seq`, that a research made before its task got another metric; of one research, or of all. A claim of
 * the unmodified version has no trial: it has the metric of the claim that it revoked.
 */
export async function readOutdatedClaims(db: Tx, researchId?: string): Promise<Set<string>> {
  const { rows } = await db.execute<{ id: string; seq: number }>(sql`
    select claims.research_id as id, claims.seq
    from claims join researches on researches.id = claims.research_id
    join task_versions mine on mine.hash = researches.task_hash
    cross join lateral (
      select trials.task_hash from claims earlier
      join trials on trials.research_id = earlier.research_id and trials.n = earlier.of_trial
      where earlier.research_id = claims.research_id and earlier.seq <= claims.seq
      order by earlier.seq desc limit 1) made
    join task_versions ran on ran.hash = made.task_hash
    where ran.metric_key <> mine.metric_key
      ${researchId === undefined ? sql`` : sql`and researches.id = ${researchId}`}`);
  return new Set(rows.map(({ id, seq }) => claimKey(id, seq)));
}

export const claimKey = (researchId: string, seq: number): string => `${researchId} ${seq}`;
