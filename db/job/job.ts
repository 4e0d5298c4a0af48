import { and, asc, eq, gte, isNull, ne, sql } from 'drizzle-orm';
import type { JobEnding } from '../../domain/job/ended.ts';
import type { Tx } from '../connect.ts';
import { jobs, outputs, runs } from '../schema.ts';

export type Job = typeof jobs.$inferSelect;

/** Opens a job; one that is known stays as it is. */
export async function openJob(db: Tx, job: typeof jobs.$inferInsert): Promise<void> {
  await db.insert(jobs).values(job).onConflictDoNothing();
}

/** A job, and the last placement of it that was begun, 0 before; throws where there is none. */
export async function loadJob(db: Tx, id: string): Promise<{ job: Job; placement: number }> {
  const found = await findJob(db, id);
  if (!found) throw new Error(`Expected a job ${id} in the database, found none`);
  return found;
}

/** The same; undefined where there is none. */
export async function findJob(db: Tx, id: string): Promise<{ job: Job; placement: number } | undefined> {
  const placement = sql<number>`coalesce((select max(${runs.placement}) from ${runs} where ${runs.trialId} = ${jobs.id}), 0)`;
  const rows = await db.select({ job: jobs, placement }).from(jobs).where(eq(jobs.id, id));
  return rows[0];
}

/** Nothing of a job begins any more. Returns how it ended, which is decided once; undefined where there is none. */
export async function closeJob(db: Tx, id: string, ending: JobEnding): Promise<JobEnding | undefined> {
  const rows = await db
    .update(jobs)
    .set({
      endedAt: sql`coalesce(${jobs.endedAt}, clock_timestamp())`,
      ending: sql`coalesce(${jobs.ending}, ${JSON.stringify(ending)}::jsonb)`,
    })
    .where(eq(jobs.id, id))
    .returning({ ending: jobs.ending });
  return rows[0]?.ending ?? undefined;
}

/** Jobs under way that are no trials. */
export async function readOpenJobs(db: Tx): Promise<Job[]> {
  return db
    .select()
    .from(jobs)
    .where(and(ne(jobs.kind, 'trial'), isNull(jobs.endedAt)));
}

/** Their ids. */
export const findOpenJobs = async (db: Tx): Promise<string[]> => (await readOpenJobs(db)).map(({ id }) => id);

/** The output of a placement from an offset on, in order. */
export async function readOutput(
  db: Tx,
  { jobId, placement, from }: { jobId: string; placement: number; from: number },
): Promise<{ offset: number; content: Buffer }[]> {
  return db
    .select({ offset: outputs.offset, content: outputs.content })
    .from(outputs)
    .where(and(eq(outputs.jobId, jobId), eq(outputs.placement, placement), gte(outputs.offset, from)))
    .orderBy(asc(outputs.offset));
}

/** The last run of a server, where it had one. */
interface LastRun {
  placement: number;
  /** Runs since the last good one, with this one; 0 where it was good. */
  failed: number;
  /** Seconds since it ended, by the database's clock; null where nobody saw that. */
  secondsAgo: number | null;
  host: string;
  /** What its supervisor wrote last; null where it left nothing. */
  end: unknown;
}

/** A run is good where it lived for at least that long after it was ready. */
export async function findLastRun(
  db: Tx,
  { jobId, goodSeconds }: { jobId: string; goodSeconds: number },
): Promise<LastRun | undefined> {
  const rows = await db.execute<LastRun & Record<string, unknown>>(sql`
    with good as (
      select max(placement) as placement from runs where trial_id = ${jobId}
        and coalesce(ended_at, now()) - ready_at >= make_interval(secs => ${goodSeconds}::float8))
    select placement, host, "end", extract(epoch from now() - ended_at)::float8 as "secondsAgo",
      (select count(*)::int from runs since, good
        where since.trial_id = ${jobId} and since.placement > coalesce(good.placement, -1)) as failed
    from runs where trial_id = ${jobId} order by placement desc limit 1`);
  return rows.rows[0];
}
