import { desc, eq, sql } from 'drizzle-orm';
import type { GateConfig, GateState, WantedRun } from '../../domain/gate/types.ts';
import { REPORTED_SHARES } from '../../domain/event/budget-events.ts';
import type { Overrides, Settings } from '../../domain/task/overrides.ts';
import { ALERT_CHARACTERS } from '../../domain/research/alert-characters.ts';
import type { Phase } from '../../domain/research/phase.ts';
import type { Budget } from '../../domain/schema/budget.ts';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { cleanText } from '../../domain/json/clean-text.ts';
import type { CarriedCurve } from '../../domain/abort/carried/carried-curve.ts';
import type { Db, Tx } from '../connect.ts';
import { eventsFrom } from '../event/insert-events.ts';
import { claims, installations, notes, researches } from '../schema.ts';
import { withValidGate } from '../stored-gate.ts';
import { insertPolicyBase, type NewPolicyBase } from '../learning/policy-bases.ts';
import { insertCarried } from '../run/carried-curves.ts';
import { insertEnd } from '../notify/outbox.ts';
import { saveCandidate } from '../trial/candidate.ts';
import { copyMemory } from '../trial/prompt-input/memories.ts';
import { insertWantedRuns } from './wanted-runs.ts';

export type Research = typeof researches.$inferSelect;

/** A research; undefined if there is none. */
export async function findResearch(db: Tx, id: string): Promise<Research | undefined> {
  const row = (await db.select().from(researches).where(eq(researches.id, id)))[0];
  return row && withValidGate(row);
}

/**
 * Reads a research and locks its row, so that verdicts, admissions and changes of task happen one at a time. The lock
 * is `no key update`: rows that refer to the research, such as notes and knobs of proposals, can still be inserted.
 */
export async function lockResearch(tx: Tx, id: string): Promise<Research> {
  const row = (await tx.select().from(researches).where(eq(researches.id, id)).for('no key update'))[0];
  if (!row) throw new Error(`Expected a research ${id} in the database, found none`);
  return withValidGate(row);
}

/**
 * Stores which workflow run is in charge. The row lock makes it wait for verdicts under way. The caller finds a trial
 * that was settled before when it next reconciles; a trial that is settled later reports to this run.
 */
export async function recordWorkflowRun(db: Tx, input: { researchId: string; runId: string }): Promise<void> {
  const { researchId, runId } = input;
  const rows = sql`
    select ${researchId}::text, null::int, jsonb_build_object('from', was, 'to', ${runId}::text)
    from taken where was <> ${runId}`;
  await db.execute(sql`
    with before as (select run_id from researches where id = ${researchId} for no key update),
    taken as (
      update researches set run_id = ${runId} from before where id = ${researchId} returning before.run_id as was)
    ${eventsFrom({ kind: 'continued', rows })}`);
}

interface NewResearch {
  id: string;
  taskHash: string;
  proposer: string;
  overrides: Overrides;
  settings: Settings;
  settingsHash: string;
  seedRoot: string;
  /** Names of the sinks that get its messages; null: all. */
  notify?: string[] | null;
  budget: Budget;
  gateConfig: GateConfig;
  gate: GateState;
  baselineCandidate: string;
  wanted: WantedRun[];
}

/** Inserts a research with the first runs that its gate wants; false if it exists. */
async function insertResearch(tx: Tx, input: NewResearch): Promise<boolean> {
  const { wanted, ...row } = input;
  const inserted = await tx
    .insert(researches)
    .values({ ...row, phase: 'starting' })
    .onConflictDoNothing()
    .returning({ id: researches.id });
  if (inserted.length === 0) return false;
  await insertWantedRuns(tx, input.id, wanted);
  return true;
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

/**
 * Stores phase, reason, window and the time under way, which never decreases. Writes events for changes, and for a
 * spent share of the hours: between two outcomes nothing else reports it.
 */
export async function recordPhase(
  db: Tx,
  input: { researchId: string; phase: Phase; reason: string | null; window: number; activeSeconds: number },
): Promise<void> {
  const { researchId, phase, reason, window, activeSeconds } = input;
  await db.execute(sql`
    with before as (select phase, reason, "window" from researches where id = ${researchId} for no key update),
    changed as (
      update researches set phase = ${phase}, reason = ${reason}, "window" = ${window}::int,
        active_seconds = greatest(active_seconds, ${activeSeconds}), updated_at = now()
      from before where id = ${researchId}
      returning id, before.*, active_seconds / 3600 as spent, budget->'hours' as hours),
    ended as (${insertEnd(sql`changed`, { phase, reason })})
    ${eventsFrom(
      {
        kind: 'phase',
        rows: sql`select ${researchId}::text, null::int,
            jsonb_build_object('from', phase, 'phase', ${phase}::text, 'reason', ${reason}::text)
          from changed where (phase, reason) is distinct from (${phase}, ${reason})`,
      },
      {
        kind: 'window',
        rows: sql`select ${researchId}::text, null::int, jsonb_build_object('from', "window", 'window', ${window}::int)
          from changed where "window" is distinct from ${window}::int`,
      },
      {
        kind: 'budget-share',
        rows: sql`select ${researchId}::text, null::int,
            jsonb_build_object('limit', 'hours', 'share', max(share), 'spent', max(spent), 'of', hours)
          from changed, unnest(${sql.param([...REPORTED_SHARES])}::int[]) share
          where hours::float8 > 0 and spent * 100 >= hours::float8 * share group by hours`,
      },
    )}`);
}

/**
 * Stores an alert for a person, which `status` shows; with `once`, not again while it shows the same message. If the
 * research does not exist, it stores nothing and returns false.
 */
export async function insertAlert(
  db: Tx,
  { researchId, ...input }: { researchId: string; message: string; once?: boolean },
): Promise<boolean> {
  const message = cleanText(input.message.slice(0, ALERT_CHARACTERS));
  const { rows } = await db.execute(sql`
    with research as (select id from researches where id = ${researchId}),
    told as (
      insert into alerts (research_id, message) select id, ${message}::text from research
      where not ${input.once === true} or not exists (
        select 1 from alerts
        where research_id = ${researchId} and message = ${message} and at > now() - interval '24 hours'))
    select 1 from research`);
  return rows.length > 0;
}

/** Stores advice for the next prompts; a repeated id changes nothing. */
export async function insertNote(db: Tx, input: { id: string; researchId: string; text: string }): Promise<void> {
  await db.insert(notes).values(input).onConflictDoNothing();
}

/** Last advice, oldest first. */
export async function findNotes(db: Tx, input: { researchId: string; limit: number }): Promise<string[]> {
  const rows = await db
    .select({ text: notes.text })
    .from(notes)
    .where(eq(notes.researchId, input.researchId))
    .orderBy(desc(notes.createdAt))
    .limit(input.limit);
  return rows.map((row) => row.text).reverse();
}

/** Id of this database and its workers, and the secret that evaluators' seeds are made from. */
export async function findInstallation(db: Tx): Promise<{ id: string; secret: string }> {
  const row = (await db.select().from(installations))[0];
  if (!row) throw new Error('Expected an installation id in the database, found none: run the migrations');
  return row;
}

/** Stores a new research with its baseline candidate and carried curves; an existing research stays as it is. */
export async function createResearch(
  db: Db,
  input: Omit<NewResearch, 'baselineCandidate'> & {
    baseline: { id: string; immutableHash: string; files: Record<string, string> };
    /** Finished curves of that many earlier researches; null: none. */
    carried?: { curves: CarriedCurve[]; researches: number } | null;
    /** Learnt version with which its policy begins; null: none. */
    policyBase?: NewPolicyBase | null;
    /** Research whose memory it copies; null: none. */
    memoryFrom?: string | null;
  },
): Promise<void> {
  const { baseline, carried, policyBase, memoryFrom, ...research } = input;
  await db.transaction(async (tx) => {
    await saveCandidate(tx, baseline);
    const isNew = await insertResearch(tx, { ...research, baselineCandidate: baseline.id });
    if (policyBase) await insertPolicyBase(tx, policyBase);
    if (isNew && memoryFrom) await copyMemory(tx, { researchId: research.id, from: memoryFrom });
    if (isNew && carried) await insertCarried(tx, { researchId: research.id, taskHash: research.taskHash, ...carried });
  });
}

/** Adds a claim to the history of the incumbent. */
export async function insertClaim(db: Tx, claim: Omit<typeof claims.$inferInsert, 'seq' | 'at'>): Promise<void> {
  const last = await db.execute<{ seq: number }>(
    sql`select coalesce(max(seq), 0)::int as seq from claims where research_id = ${claim.researchId}`,
  );
  await db.insert(claims).values({ ...claim, seq: (last.rows[0]?.seq ?? 0) + 1 });
  await db
    .update(researches)
    .set({ secondsAtClaim: researches.activeSeconds })
    .where(eq(researches.id, claim.researchId));
}
