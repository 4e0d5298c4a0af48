import { sql, type SQL } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';

/** The lineage of a research is a forest: a candidate hangs at the parent of the first trial that ran it. */
export const parentOf = (researchId: string, candidateId: SQL): SQL => sql`(
  select nullif(made.parent_id, made.candidate_id) from trials made
  where made.research_id = ${researchId} and made.candidate_id = ${candidateId} order by made.n limit 1)`;

/** Candidates from the root of the lineage to this one, in order. */
export async function readPath(
  db: Tx,
  { researchId, candidateId }: { researchId: string; candidateId: string },
): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    with recursive line(id, depth) as (
      select ${candidateId}::text, 0
      union all
      select parent.id, line.depth + 1 from line, lateral (select ${parentOf(researchId, sql`line.id`)} as id) parent
      where parent.id is not null and line.depth < 10000)
    select id from line order by depth desc`);
  return rows.map(({ id }) => id);
}

/** Candidates that a person would miss: those that were kept or confirmed, the last ones, and all that they were made from. */
export async function readKept(db: Tx, { researchId, last }: { researchId: string; last: number }): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    with recursive kept as (
      select trials.candidate_id as id from trials
      where trials.research_id = ${researchId} and trials.verdict in ('keep', 'confirm') and trials.candidate_id is not null
      order by trials.n desc limit ${last}),
    line(id) as (
      select id from kept
      union
      select parent.id from line, lateral (select ${parentOf(researchId, sql`line.id`)} as id) parent
      where parent.id is not null)
    select id from line`);
  return rows.map(({ id }) => id);
}
