import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm';
import type { GateConfig, GateState, WantedRun } from '../../domain/gate/types.ts';
import type { Overrides, Settings } from '../../domain/search/overrides.ts';
import type { Phase } from '../../domain/phase.ts';
import type { Budget } from '../../domain/task/budget.ts';
import type { TrialSpec } from '../../domain/trial.ts';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { cleanText } from '../../domain/clean-text.ts';
import type { Tx } from '../connect.ts';
import { installations, notes, researches, trials, wantedRuns } from '../schema.ts';
import { withSoundGate } from '../stored-gate.ts';

export type Research = typeof researches.$inferSelect;

/** The research, or undefined. */
export async function findResearch(db: Tx, id: string): Promise<Research | undefined> {
  const row = (await db.select().from(researches).where(eq(researches.id, id)))[0];
  return row && withSoundGate(row);
}

/** The research under a row lock: verdicts, admissions and changes of task happen one at a time. */
export async function lockResearch(tx: Tx, id: string): Promise<Research> {
  const row = (await tx.select().from(researches).where(eq(researches.id, id)).for('update'))[0];
  if (!row) throw new Error(`Expected a research ${id} in the database, found none`);
  return withSoundGate(row);
}

/**
 * Notes which run of the workflow is in charge. It waits for verdicts under way, and later ones see it: a trial settled
 * before is found by the caller's next look, one settled after knows whom to tell.
 */
export async function takeCharge(db: Tx, input: { researchId: string; runId: string }): Promise<void> {
  await db.update(researches).set({ runId: input.runId }).where(eq(researches.id, input.researchId));
}

export interface NewResearch {
  id: string;
  taskHash: string;
  proposer: string;
  overrides: Overrides;
  settings: Settings;
  settingsHash: string;
  budget: Budget;
  gateConfig: GateConfig;
  gate: GateState;
  baselineCandidate: string;
  wants: WantedRun[];
}

/** Inserts a research with the runs its gate wants first; false where it exists. */
export async function insertResearch(tx: Tx, input: NewResearch): Promise<boolean> {
  const { wants, ...row } = input;
  const inserted = await tx
    .insert(researches)
    .values({ ...row, phase: 'starting' })
    .onConflictDoNothing()
    .returning({ id: researches.id });
  if (inserted.length === 0) return false;
  await insertWants(tx, input.id, wants);
  return true;
}

/** Asks for runs; they are admitted ahead of new proposals. */
export async function insertWants(tx: Tx, researchId: string, wants: WantedRun[]): Promise<void> {
  if (wants.length > 0) await tx.insert(wantedRuns).values(wants.map((want) => ({ researchId, ...want })));
}

/** Changes fields of a research. */
export async function updateResearch(
  tx: Tx,
  id: string,
  fields: Omit<PgUpdateSetSource<typeof researches>, 'id' | 'createdAt' | 'updatedAt'>,
): Promise<void> {
  await tx
    .update(researches)
    .set({ ...fields, updatedAt: sql`now()` })
    .where(eq(researches.id, id));
}

/** Phase and reason, and with them the time under way; never lowers the time. */
export async function recordPhase(
  db: Tx,
  input: { researchId: string; phase: Phase; reason: string | null; window: number; activeSeconds: number },
): Promise<void> {
  const { researchId, phase, reason, window, activeSeconds } = input;
  await updateResearch(db, researchId, {
    phase,
    reason,
    window,
    activeSeconds: sql`greatest(${researches.activeSeconds}, ${activeSeconds})`,
  });
}

const specColumns = {
  trialId: trials.id,
  n: trials.n,
  kind: trials.kind,
  candidateId: trials.candidateId,
  ofTrial: trials.ofTrial,
  seed: trials.seed,
  taskHash: trials.taskHash,
  pool: trials.pool,
};

/** Trials that were given a number and have no outcome yet. */
export async function findUnfinished(db: Tx, researchId: string): Promise<TrialSpec[]> {
  return db
    .select(specColumns)
    .from(trials)
    .where(and(eq(trials.researchId, researchId), isNull(trials.status)))
    .orderBy(asc(trials.n));
}

/** The trials that an admission made. */
export async function findAdmission(db: Tx, input: { researchId: string; key: string }): Promise<TrialSpec[]> {
  return db
    .select(specColumns)
    .from(trials)
    .where(and(eq(trials.researchId, input.researchId), eq(trials.admission, input.key)))
    .orderBy(asc(trials.n));
}

/** Runs that wait for a number: the baseline, then a person's ideas, then the oldest. */
export async function findWants(tx: Tx, input: { researchId: string; limit: number }) {
  return tx
    .select()
    .from(wantedRuns)
    .where(and(eq(wantedRuns.researchId, input.researchId), isNull(wantedRuns.n)))
    .orderBy(desc(eq(wantedRuns.kind, 'baseline')), desc(eq(wantedRuns.kind, 'injected')), asc(wantedRuns.id))
    .limit(input.limit);
}

/**
 * Something that a person should see in the status; with `once`, not again while the same is shown there. Of a research that
 * never began there is nothing to see.
 */
export async function insertAlert(
  db: Tx,
  { researchId, ...input }: { researchId: string; message: string; once?: boolean },
): Promise<void> {
  const message = cleanText(input.message.slice(0, 1000));
  await db.execute(sql`
    insert into alerts (research_id, message) select id, ${message}::text from researches
    where id = ${researchId} and (not ${input.once === true} or not exists (
      select 1 from alerts where research_id = ${researchId} and message = ${message} and at > now() - interval '24 hours'))`);
}

/** Advice for the next prompts; the same id twice is one note. */
export async function insertNote(db: Tx, input: { id: string; researchId: string; text: string }): Promise<void> {
  await db.insert(notes).values(input).onConflictDoNothing();
}

/** The last advice, oldest first. */
export async function findNotes(db: Tx, input: { researchId: string; limit: number }): Promise<string[]> {
  const rows = await db
    .select({ text: notes.text })
    .from(notes)
    .where(eq(notes.researchId, input.researchId))
    .orderBy(desc(notes.createdAt))
    .limit(input.limit);
  return rows.map((row) => row.text).reverse();
}

/** The uuid of this database and its workers, and the secret that evaluators' seeds are made from. */
export async function findInstallation(db: Tx): Promise<{ id: string; secret: string }> {
  const row = (await db.select().from(installations))[0];
  if (!row) throw new Error('Expected an installation id in the database, found none: run the migrations');
  return row;
}
