import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/**
 * Whether somebody other than `owned` had a hand in a candidate, or in one that it was edited from. The research's baseline is its owner's, also
 * where somebody proposed it again, and so is what a person injects.
 */
export async function isWrittenCode(
  db: Tx,
  { researchId, candidateId, owned }: { researchId: string; candidateId: string; owned: readonly string[] },
): Promise<boolean> {
  const { rows } = await db.execute<{ written: boolean }>(sql`
    with recursive own as (select baseline_candidate as id from researches where id = ${researchId}),
    line(candidate_id, proposer) as (
      select ${candidateId}::text, null::text
      union
      select coalesce(made.parent_id, ''), made.proposer
      from line join trials made on made.candidate_id = line.candidate_id, own
      where made.research_id = ${researchId} and made.proposer is not null and line.candidate_id <> own.id)
    select exists (select 1 from line where proposer <> all(${sql.param([...owned])}::text[])) as written`);
  return rows[0]?.written === true;
}
