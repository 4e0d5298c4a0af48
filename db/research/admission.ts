import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Phase } from '../../domain/research/phase.ts';
import type { TrialKind, TrialSpec } from '../../domain/trial.ts';
import { TRIAL_SPEC } from '../../domain/job.ts';
import { PRIORITY } from '../../domain/trial/priority.ts';
import type { Tx } from '../connect.ts';
import { eventsFrom, insertEvents } from '../event/insert-events.ts';
import { jobs, researches, trials } from '../schema.ts';

/** Seeds of a trial that only its proposer and its evaluator receive. */
export interface HiddenSeeds {
  evaluatorSeed: number;
  proposerSeed: number;
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

/** Trials with a number and without an outcome. */
export async function findUnfinished(db: Tx, researchId: string): Promise<TrialSpec[]> {
  return db
    .select(specColumns)
    .from(trials)
    .where(and(eq(trials.researchId, researchId), isNull(trials.status)))
    .orderBy(asc(trials.n));
}

/** Trials that an admission inserted. */
export async function findAdmission(db: Tx, input: { researchId: string; key: string }): Promise<TrialSpec[]> {
  return db
    .select(specColumns)
    .from(trials)
    .where(and(eq(trials.researchId, input.researchId), eq(trials.admission, input.key)))
    .orderBy(asc(trials.n));
}

/** True if a proposal without a candidate is under way. */
export async function isProposing(db: Tx, researchId: string): Promise<boolean> {
  const open = await db.execute(
    sql`select 1 from trials where research_id = ${researchId} and status is null
      and kind in ('search', 'evaluation') and candidate_id is null limit 1`,
  );
  return open.rows.length > 0;
}

/** Seeds of `among` that trials of the research already have in that stream. */
export async function findSeeds(
  db: Tx,
  { researchId, stream, among }: { researchId: string; stream: 'run' | 'evaluator'; among: readonly number[] },
): Promise<number[]> {
  if (among.length === 0) return [];
  const seed = stream === 'run' ? trials.seed : trials.evaluatorSeed;
  const rows = await db
    .select({ seed })
    .from(trials)
    .where(and(eq(trials.researchId, researchId), inArray(seed, [...among])));
  return rows.flatMap((row) => row.seed ?? []);
}

/**
 * Inserts the trials of an admission and their jobs, in one statement. Trials that have a candidate are ready to run.
 */
export async function insertTrials(
  db: Tx,
  input: { researchId: string; key: string; seeded: readonly { spec: TrialSpec; hidden: HiddenSeeds }[] },
): Promise<void> {
  const { researchId, key, seeded } = input;
  if (seeded.length === 0) return;
  const opened = db
    .insert(jobs)
    .values(
      seeded.map(({ spec: { trialId: id, taskHash, pool, kind } }) => ({
        id,
        kind: 'trial' as const,
        researchId,
        taskHash,
        pool,
        priority: PRIORITY[kind],
        spec: TRIAL_SPEC,
      })),
    )
    .returning({ id: jobs.id });
  const admitted = db
    .insert(trials)
    .values(
      seeded.map(({ spec: { trialId, ...spec }, hidden }) => ({
        id: trialId,
        researchId,
        admission: key,
        ...spec,
        ...hidden,
        readyAt: spec.candidateId ? sql`now()` : undefined,
      })),
    )
    .returning();
  await db.execute(
    sql`with opened as ${opened}, admitted as ${admitted} ${eventsFrom({ kind: 'trial-admitted', rows: ADMITTED })}`,
  );
}

const ADMITTED = sql`
  select research_id, n, jsonb_build_object('kind', kind, 'candidateId', candidate_id, 'ofTrial', of_trial)
  from admitted order by n`;

/** Stores the numbers given so far; with `phase`, also the phase that follows `starting`. */
export async function noteAdmitted(
  db: Tx,
  {
    researchId,
    ...fields
  }: { researchId: string; lastN: number; admitted: Partial<Record<TrialKind, number>>; phase?: Phase },
): Promise<void> {
  await db.update(researches).set(fields).where(eq(researches.id, researchId));
  const { phase } = fields;
  if (phase === undefined) return;
  await insertEvents(db, [{ kind: 'phase', researchId, data: { from: 'starting', phase, reason: null } }]);
}
