import { and, asc, eq, inArray, isNull, notInArray, or, sql } from 'drizzle-orm';
import type { Left } from '../../domain/floor/left.ts';
import type { Tx } from '../connect.ts';
import { researches, restarts, taskVersions, trials } from '../schema.ts';

export type PendingRestart = typeof restarts.$inferSelect;

/** Notes that a workflow is to be ended and begun again; a note of another run of it is replaced. */
export async function noteRestart(db: Tx, input: typeof restarts.$inferInsert): Promise<void> {
  await db
    .insert(restarts)
    .values(input)
    .onConflictDoUpdate({ target: restarts.workflowId, set: { ...input, takenBy: null, at: sql`now()` } });
}

/** Workflows that are to be begun again, and of which no run has heard yet. */
export async function findRestarts(db: Tx): Promise<PendingRestart[]> {
  return db.select().from(restarts).where(isNull(restarts.takenBy)).orderBy(asc(restarts.workflowId));
}

export async function forgetRestart(db: Tx, workflowId: string): Promise<void> {
  await db.delete(restarts).where(eq(restarts.workflowId, workflowId));
}

/** Hands what the ended run knew of a research to the first run that asks, and to it again; null for any other. */
export async function takeLeft(db: Tx, input: { researchId: string; runId: string }): Promise<Left | null> {
  const { workflowId, type, takenBy, left } = restarts;
  const rows = await db
    .update(restarts)
    .set({ takenBy: input.runId })
    .where(and(eq(workflowId, input.researchId), eq(type, 'research'), or(isNull(takenBy), eq(takenBy, input.runId))))
    .returning({ left });
  return rows[0]?.left ?? null;
}

/** A run of a research, and the one that it was begun again in place of, if any. */
interface RunOf {
  researchId: string;
  runId: string;
  after?: string;
}

/** A row that is about this very run: it heard of it, was noted in it, or was begun again by it. */
const isAbout = ({ researchId, runId, after = runId }: RunOf) =>
  and(
    eq(restarts.workflowId, researchId),
    eq(restarts.type, 'research'),
    or(eq(restarts.takenBy, runId), inArray(restarts.runId, [runId, after])),
  );

/** What was left for a run of a research, which it need not have heard; null where nothing was left for this one. */
export async function findLeftFor(db: Tx, of: RunOf): Promise<Left | null> {
  const rows = await db.select({ left: restarts.left }).from(restarts).where(isAbout(of));
  return rows[0]?.left ?? null;
}

/** Forgets it; what was left for another run stays. */
export async function forgetLeftFor(db: Tx, of: RunOf): Promise<void> {
  await db.delete(restarts).where(isAbout(of));
}

/** The workflow run that opened a research, and the name of its task; undefined where the database does not know it. */
export async function findOpening(
  db: Tx,
  researchId: string,
): Promise<{ runId: string | null; taskName: string } | undefined> {
  const rows = await db
    .select({ runId: researches.runId, taskName: taskVersions.name })
    .from(researches)
    .innerJoin(taskVersions, eq(taskVersions.hash, researches.taskHash))
    .where(eq(researches.id, researchId));
  return rows[0];
}

/** Ids of what is under way by the database: researches that have not ended, and trials without an outcome. */
export async function findUnderWay(db: Tx): Promise<{ researchIds: string[]; trialIds: string[] }> {
  const open = await db
    .select({ id: researches.id })
    .from(researches)
    .where(notInArray(researches.phase, ['stopped', 'failed']));
  const unfinished = await db.select({ id: trials.id }).from(trials).where(isNull(trials.status));
  return { researchIds: open.map(({ id }) => id), trialIds: unfinished.map(({ id }) => id) };
}
