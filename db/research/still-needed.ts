import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { IS_RELEVANT } from '../host/fleet.ts';

/** Refusal to delete a research that others depend on, or whose runs may be under way. Nothing has changed. */
export class StillNeededError extends Error {
  override readonly name = 'StillNeededError';
}

/** Jobs of a research, trials included. */
export const jobsOf = (id: string) => sql`select jobs.id from jobs where jobs.research_id = ${id}`;

/** Values of a query's only column, `v`. */
export const readColumn = async (tx: Tx, query: ReturnType<typeof sql>): Promise<string[]> =>
  (await tx.execute<{ v: string }>(query)).rows.map(({ v }) => v);

/** Throws StillNeededError if a run may be under way, or if another research began with its candidates. */
export async function requireDeletable(tx: Tx, id: string): Promise<void> {
  const held = await readColumn(
    tx,
    sql`
    select distinct host as v from slots where state = 'leased' and trial_id in (${jobsOf(id)})
    union select runs.host from runs left join hosts on hosts.name = runs.host
      where runs.trial_id in (${jobsOf(id)}) and runs.launched_at is not null and runs.ended_at is null
        and (hosts.name is null or ${IS_RELEVANT})`,
  );
  if (held.length > 0)
    throw new StillNeededError(
      `${id} cannot be deleted yet: one of its runs may still be under way on ${held.join(', ')}. ` +
        'Wait until npx perpetua fleet shows no run of it.',
    );
  const heirs = await readColumn(
    tx,
    sql`
    select distinct other.research_id as v from trials other
      where other.research_id <> ${id}
        and other.parent_id in (select candidate_id from trials where research_id = ${id})
        and not exists (
          select 1 from trials own where own.research_id = other.research_id and own.candidate_id = other.parent_id)
        and not exists (
          select 1 from researches own
          where own.id = other.research_id and own.baseline_candidate = other.parent_id)`,
  );
  if (heirs.length > 0)
    throw new StillNeededError(
      `${id} cannot be deleted: ${heirs.join(', ')} began with its candidates. Delete ${heirs.join(', ')} first.`,
    );
}
