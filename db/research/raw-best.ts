import { sql } from 'drizzle-orm';
import { BY_PERSON } from '../../domain/gate/claim/override.ts';
import { LARGEST_VALUE } from '../../domain/gate/copies.ts';
import type { RawBest } from '../../domain/gate/types.ts';
import { PROPOSAL_KINDS } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { isComparable, taskHashOf } from '../trial/comparable.ts';

/** Candidates of a research whose last verdict by a person is `discard`. */
export async function findDiscardedByPerson(db: Tx, researchId: string): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from (
      select distinct on (candidate_id) candidate_id as id, verdict from trials
      where research_id = ${researchId} and candidate_id is not null and starts_with(reason, ${BY_PERSON})
      order by candidate_id, ruled_at desc) latest
    where verdict = 'discard' order by id`);
  return rows.map(({ id }) => id);
}

/**
 * The best run of a proposal under the present version of the task, without runs of some candidates; null if there is
 * none. Its value is oriented: greater is better. Of equal runs, the one that ended first.
 */
export async function findRawBest(
  db: Tx,
  { researchId, sign, without }: { researchId: string; sign: 1 | -1; without: readonly string[] },
): Promise<RawBest | null> {
  const { rows } = await db.execute<RawBest & Record<string, unknown>>(sql`
    select n, candidate_id as "candidateId", ${sign} * value as value from trials
    where research_id = ${researchId} and kind = any(${sql.param([...PROPOSAL_KINDS])}::text[])
      and status = 'completed' and candidate_id is not null and reused_from is null
      and abs(value) <= ${LARGEST_VALUE} and ${isComparable(taskHashOf(researchId))}
      and candidate_id <> all(${sql.param([...without])}::text[])
    order by ${sign} * value desc, ended_at, n limit 1`);
  return rows[0] ?? null;
}

/** Numbers of the trials of some candidates of a research. */
export async function findNumbersOf(
  db: Tx,
  { researchId, candidateIds }: { researchId: string; candidateIds: readonly string[] },
): Promise<Set<number>> {
  if (candidateIds.length === 0) return new Set();
  const { rows } = await db.execute<{ n: number }>(sql`
    select n from trials
    where candidate_id = any(${sql.param([...candidateIds])}::text[]) and research_id = ${researchId}`);
  return new Set(rows.map(({ n }) => n));
}
