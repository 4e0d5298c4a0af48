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
