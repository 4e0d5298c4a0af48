import { asc, eq, isNull, notInArray, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { researches, restarts, taskVersions, trials } from '../schema.ts';

export type PendingRestart = typeof restarts.$inferSelect;

/** Stores that a workflow is to be terminated and started again; replaces the row of another run of the workflow. */
export async function noteRestart(db: Tx, input: typeof restarts.$inferInsert): Promise<void> {
  await db
    .insert(restarts)
    .values(input)
    .onConflictDoUpdate({ target: restarts.workflowId, set: { ...input, takenBy: null, at: sql`now()` } });
}

/** Workflows that are still to be started again. */
export async function findRestarts(db: Tx): Promise<PendingRestart[]> {
  return db.select().from(restarts).where(isNull(restarts.takenBy)).orderBy(asc(restarts.workflowId));
}

export async function forgetRestart(db: Tx, workflowId: string): Promise<void> {
  await db.delete(restarts).where(eq(restarts.workflowId, workflowId));
}

export interface Opening {
  /** The workflow run that opened the research. */
  runId: string | null;
  taskName: string;
}

/** Task name and workflow run of a research; undefined if the database does not have the research. */
export async function findOpening(db: Tx, researchId: string): Promise<Opening | undefined> {
  const rows = await db
    .select({ runId: researches.runId, taskName: taskVersions.name })
    .from(researches)
    .innerJoin(taskVersions, eq(taskVersions.hash, researches.taskHash))
    .where(eq(researches.id, researchId));
  return rows[0];
}

/** Ids of open work in the database: researches that have not ended, and trials without an outcome. */
export async function findOpenIds(db: Tx): Promise<{ researchIds: string[]; trialIds: string[] }> {
  const open = await db
    .select({ id: researches.id })
    .from(researches)
    .where(notInArray(researches.phase, ['stopped', 'failed']));
  const unfinished = await db.select({ id: trials.id }).from(trials).where(isNull(trials.status));
  return { researchIds: open.map(({ id }) => id), trialIds: unfinished.map(({ id }) => id) };
}
