import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import {
  FURTHEST,
  type Observation,
  type Observations,
  type ObservationLimits,
} from '../../domain/search/observations.ts';
import type { KnobValues } from '../../domain/knob/knob-value.ts';
import type { Tx } from '../connect.ts';
import { observations } from '../schema.ts';
import type { Trial } from './proposal.ts';
import { inSearch } from './in-search.ts';

/** A candidate of a research under a version of its task. */
export interface ObservedKey {
  researchId: string;
  taskHash: string;
  candidateId: string;
}

export type Observed = typeof observations.$inferSelect;

/** Stores the knob values of a candidate, its structure and its proposer; stored values stay. */
export async function saveKnobs(
  db: Tx,
  input: ObservedKey & { knobs: KnobValues; structure: string | null; proposer: string | null },
): Promise<void> {
  await db
    .insert(observations)
    .values(input)
    .onConflictDoUpdate({
      target: [observations.researchId, observations.taskHash, observations.candidateId],
      set: { knobs: sql`excluded.knobs`, structure: sql`excluded.structure` },
      setWhere: isNull(observations.knobs),
    });
}

/**
 * The stored observation of a trial's candidate, the last number given to a candidate, and USD of the trial's proposal.
 * `broughtBy`: if none is stored, the first proposer that brought the candidate under any version of the task.
 */
export async function findObserved(
  db: Tx,
  { id, ...key }: ObservedKey & Pick<Trial, 'id'>,
): Promise<{ observed: Observed | null; last: number; broughtBy: string | null; usd: number }> {
  const { researchId, taskHash, candidateId } = key;
  type Stored = Omit<Observed, keyof ObservedKey>;
  const { rows } = await db.execute<
    Stored & { isStored: boolean; last: number; broughtBy: string | null; spent: number } & Record<string, unknown>
  >(
    sql`
      select o.candidate_id is not null as "isStored", knobs, structure, proposer, seq, value, runs, outcome, seconds,
        usd, coalesce((select max(seq) from observations
          where research_id = ${researchId} and task_hash = ${taskHash} and seq is not null), 0) as last,
        case when o.candidate_id is null then (select proposer from trials where research_id = ${researchId}
          and candidate_id = ${candidateId} and proposer is not null and ${inSearch(sql`kind`)}
          order by n limit 1) end as "broughtBy",
        coalesce((select sum(usd) from calls where trial_id = ${id} and role = 'proposer'), 0)::float8 as spent
      from (select 1) one left join observations o
        on o.research_id = ${researchId} and o.task_hash = ${taskHash} and o.candidate_id = ${candidateId}`,
  );
  if (!rows[0]) throw new Error(`Expected a row for trial ${id}, found none`);
  const { isStored, last, broughtBy, spent, ...stored } = rows[0];
  return { observed: isStored ? { ...key, ...stored } : null, last, broughtBy, usd: spent };
}

/** Stores the sums of a candidate's outcomes. */
export async function saveObserved(db: Tx, row: Observed): Promise<void> {
  await db
    .insert(observations)
    .values(row)
    .onConflictDoUpdate({
      target: [observations.researchId, observations.taskHash, observations.candidateId],
      set: row,
    });
}

/** Candidates of a research without stored knobs, at most `limit`, the latest first. */
export async function findUnread(
  db: Tx,
  { researchId, taskHash, limit }: Omit<ObservedKey, 'candidateId'> & { limit: number },
): Promise<string[]> {
  const rows = await db
    .select({ id: observations.candidateId })
    .from(observations)
    .where(
      and(eq(observations.researchId, researchId), eq(observations.taskHash, taskHash), isNull(observations.knobs)),
    )
    .orderBy(desc(observations.seq))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Knobs of a candidate and its structure, as its files have them. */
export interface ReadKnobs {
  knobs: KnobValues;
  /** Null if its files are lost, and for a task without knobs. */
  structure: string | null;
}

/** Stores knobs that were read from files, by candidate; stored ones stay. */
export async function fillKnobs(
  db: Tx,
  { researchId, taskHash, read }: Omit<ObservedKey, 'candidateId'> & { read: Readonly<Record<string, ReadKnobs>> },
): Promise<void> {
  await db.execute(sql`
    update observations set knobs = read.value -> 'knobs', structure = read.value ->> 'structure'
    from jsonb_each(${JSON.stringify(read)}::jsonb) read
    where research_id = ${researchId} and task_hash = ${taskHash} and candidate_id = read.key and knobs is null`);
}

type Row = Observation & Record<string, unknown>;

const COLUMNS = sql.raw(
  'candidate_id as "candidateId", knobs, structure, proposer, value, runs, outcome, seconds, usd',
);

/** Observations of a research's candidates under a version of its task: two index scans, and the open trials. */
export async function readObservations(
  db: Tx,
  input: Omit<ObservedKey, 'candidateId'> & { direction: Observations['direction']; reach: ObservationLimits },
): Promise<Observations> {
  const { researchId, taskHash, direction, reach } = input;
  const mine = sql`research_id = ${researchId} and task_hash = ${taskHash}`;
  const order = sql.raw(direction === 'minimize' ? 'asc' : 'desc');
  const best = await db.execute<Row>(sql`
    select ${COLUMNS} from observations where ${mine} and value is not null and knobs is not null
    order by value ${order} limit ${Math.min(reach.best, FURTHEST.best)}`);
  const latest = await db.execute<Row>(sql`
    select ${COLUMNS} from observations where ${mine} and seq is not null and knobs is not null
    order by seq desc limit ${Math.min(reach.latest, FURTHEST.latest)}`);
  const { rows: counts } = await db.execute<{ total: number }>(sql`
    select coalesce(max(seq), 0) as total from observations where ${mine} and seq is not null`);
  const { rows: inFlight } = await db.execute<Observations['inFlight'][number] & Record<string, unknown>>(sql`
    select distinct on (o.candidate_id) o.candidate_id as "candidateId", o.knobs, o.structure
    from trials t join observations o using (research_id, task_hash, candidate_id)
    where t.research_id = ${researchId} and t.task_hash = ${taskHash} and t.status is null and ${inSearch(sql`t.kind`)}
      and o.seq is null and o.knobs is not null`);
  return { direction, best: best.rows, latest: latest.rows, total: counts[0]?.total ?? 0, inFlight };
}
