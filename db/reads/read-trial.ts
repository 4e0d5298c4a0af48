import { asc, desc, eq, sql } from 'drizzle-orm';
import type { Call } from '../call/call.ts';
import { readBodies, type CallBodies } from '../call/gateway/read-bodies.ts';
import type { Tx } from '../connect.ts';
import type { Feedback } from '../../domain/metric/feedback.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ShownVerdict } from '../../domain/trial.ts';
import { calls, points, runs, taskVersions, trials } from '../schema.ts';
import { toStoredTask } from '../task/task-version.ts';
import { shownColumns, type ShownTrial } from '../trial/shown-columns.ts';
import { shownVerdict } from '../trial/shown-verdict.ts';

export type TrialRow = Omit<ShownTrial, 'verdict'> & { verdict: ShownVerdict | null; feedback: Feedback | null };
export type RunRow = typeof runs.$inferSelect;
/** A call with its bodies; null: none came, they were removed, or the call is an evaluator's. */
export type CallRow = Call & CallBodies;

export interface TrialView {
  trial: TrialRow;
  /** Placements, last one first. */
  runs: RunRow[];
}

/** A trial and its placements; undefined for an unknown id. */
export async function readTrial(db: Tx, input: { trialId: string }): Promise<TrialView | undefined> {
  const columns = { ...shownColumns, feedback: trials.feedback, verdict: shownVerdict(sql`trials.research_id`) };
  const found = await db.select(columns).from(trials).where(eq(trials.id, input.trialId));
  const trial = found[0];
  if (!trial) return undefined;
  const placements = await db.select().from(runs).where(eq(runs.jobId, trial.id)).orderBy(desc(runs.placement));
  return { trial, runs: placements };
}

/** Task version of a trial; its research may have another one by now. */
export async function readTaskOf(db: Tx, { taskHash }: Pick<TrialRow, 'taskHash'>): Promise<Task> {
  const [row] = await db.select().from(taskVersions).where(eq(taskVersions.hash, taskHash));
  if (!row) throw new Error(`Expected task version ${taskHash} in the database, found none`);
  return toStoredTask(db, row);
}

/** Model calls of a trial, in order. Those of its proposer have complete prompts and answers. */
export async function readCalls(db: Tx, { trialId }: { trialId: string }): Promise<CallRow[]> {
  const rows = await db.select().from(calls).where(eq(calls.trialId, trialId)).orderBy(asc(calls.turn));
  const isStoredInParts = ({ role, requestPart }: Call): boolean => role === 'proposer' && requestPart !== null;
  const inParts = await readBodies(db, { trialId, role: 'proposer', rows: rows.filter(isStoredInParts) });
  const byTurn = new Map(inParts.map((row) => [row.turn, row]));
  return rows.map((row) => byTurn.get(row.turn) ?? { ...row, path: null, streams: false });
}

/** Calls of a trial's evaluator, in order, with complete prompts and answers. The caller owns the database. */
export async function readEvaluatorCalls(db: Tx, { trialId }: { trialId: string }): Promise<CallRow[]> {
  const rows = (await readCalls(db, { trialId })).filter(({ role }) => role === 'evaluator');
  const read = await readBodies(db, { trialId, role: 'evaluator', rows });
  // The body of an endpoint's error is kept as an answer's.
  return read.map((row) =>
    row.error === null ? row : { ...row, error: withBody(row.error, row.answer), answer: null },
  );
}

const withBody = (error: string, body: string | null): string => (body === null ? error : `${error}: ${body}`);

/** Learning curve of a trial, over its placements in order. */
export async function readPoints(
  db: Tx,
  input: { trialId: string },
): Promise<{ placement: number; step: number; elapsed: number; value: number; share: number | null }[]> {
  return db
    .select({
      placement: points.placement,
      step: points.step,
      elapsed: points.elapsed,
      value: points.value,
      share: points.share,
    })
    .from(points)
    .where(eq(points.jobId, input.trialId))
    .orderBy(asc(points.placement), asc(points.seq));
}
