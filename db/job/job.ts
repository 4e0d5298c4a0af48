import { and, asc, eq, gte, inArray, isNull, sql } from 'drizzle-orm';
import { ASKED_KINDS } from '../../domain/job.ts';
import type { JobEnding } from '../../domain/job/ended.ts';
import type { Tx } from '../connect.ts';
import { jobs, outputs, runs } from '../schema.ts';

export type Job = typeof jobs.$inferSelect;

/** Opens a job; a job that exists stays as it is. */
export async function openJob(db: Tx, job: typeof jobs.$inferInsert): Promise<void> {
  await db.insert(jobs).values(job).onConflictDoNothing();
}

/** Marks a job as replaced, which ends it. `reopenJob` opens it again. Does nothing without such a job. */
export async function replaceJob(db: Tx, id: string): Promise<void> {
  const ending: JobEnding = { why: 'replaced', detail: null };
  await db
    .update(jobs)
    .set({ endedAt: sql`coalesce(${jobs.endedAt}, clock_timestamp())`, ending })
    .where(eq(jobs.id, id));
}

/** Opens a replaced job with another spec. Its placements begin after those before. Any other job stays as it is. */
export async function reopenJob(db: Tx, { id, spec }: Pick<Job, 'id' | 'spec'>): Promise<void> {
  await db
    .update(jobs)
    .set({
      spec,
      openedAt: sql`clock_timestamp()`,
      endedAt: null,
      ending: null,
      waitsFor: null,
      firstPlacement: sql`${lastPlacement} + 1`,
    })
    .where(and(eq(jobs.id, id), sql`${jobs.ending} ->> 'why' = 'replaced'`));
}

/** The last placement that a job began, or the first one since it was reopened; 0 before the first. */
const lastPlacement = sql<number>`greatest(${jobs.firstPlacement}, coalesce((
  select max(${runs.placement}) from ${runs} where ${runs.jobId} = ${jobs.id}), 0))`;

/** A job with the number of its last placement (0 before the first); throws if there is no such job. */
export async function loadJob(db: Tx, id: string): Promise<{ job: Job; placement: number }> {
  const found = await findJob(db, id);
  if (!found) throw new Error(`Expected a job ${id} in the database, found none`);
  return found;
}

/** A job with the number of its last placement (0 before the first); undefined if there is no such job. */
export async function findJob(db: Tx, id: string): Promise<{ job: Job; placement: number } | undefined> {
  const rows = await db.select({ job: jobs, placement: lastPlacement }).from(jobs).where(eq(jobs.id, id));
  return rows[0];
}

/** Closes a job, so that nothing of it starts. Returns its ending, which is stored once; undefined: no such job. */
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

/** Open jobs that have a workflow of their own: those that a person started. */
export async function readOpenJobs(db: Tx): Promise<Job[]> {
  return db
    .select()
    .from(jobs)
    .where(and(inArray(jobs.kind, [...ASKED_KINDS]), isNull(jobs.endedAt)));
}

/** Ids of open jobs that have a workflow of their own. */
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

/** Last run of a server. */
interface LastRun {
  placement: number;
  /** Failed runs since the last good one, this one included; 0 if this one is good. */
  failed: number;
  /** Seconds since it ended, by the database's clock; null if no end is stored. */
  secondsAgo: number | null;
  host: string;
  /** Last record of its supervisor; null if there is none. */
  end: unknown;
}

/** Last run of a job; undefined: none. A run is good if it lived for at least `goodSeconds` after it was ready. */
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
