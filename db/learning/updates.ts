import { and, asc, eq, gt, isNotNull, lt, sql, type SQL } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { policies, trials, updates } from '../schema.ts';
import type { Trial } from '../trial/proposal.ts';
import { inSearch } from '../trial/in-search.ts';

export type Update = typeof updates.$inferSelect;

/**
 * Makes updates due whose batches have ended, one after the other in their order; an update fixes its batch. A copy
 * that does not run has ended once a run of its candidate has, or none is under way. If at least half of a batch has
 * ended, the last of it `lateSeconds` ago, the update goes without the rest. A batch is in the order of its trials'
 * numbers, not in the order in which they began to sample, so that the same samples give the same bytes. Call it under
 * the research's lock.
 */
export async function createDueUpdates(
  tx: Tx,
  { researchId, size, lateSeconds }: { researchId: string; size: number; lateSeconds: number },
): Promise<{ k: number; samples: number }[]> {
  const rows = await tx.execute<{ k: number; samples: number }>(sql`
    with members as (
      select r.k, t.n, r.trial_id, t.ended_at, t.status is not null and not (t.status = 'cached'
          and exists (${runsLike(sql`f.status is null`)})
          and not exists (${runsLike(sql`f.status not in ('lost', 'cached')
            and coalesce(f.failure, '') <> 'stopped-by-operator'`)})) as ended
      from rollouts r join trials t on t.id = r.trial_id
      where r.research_id = ${researchId}
        and r.k > coalesce((select max(k) from updates where research_id = ${researchId}), 0)),
    batches as (
      select k, jsonb_agg(trial_id order by n) filter (where ended) as batch, coalesce(count(*) >= ${size} and (
        bool_and(ended) or (count(*) filter (where ended) * 2 >= ${size}
          and max(ended_at) filter (where ended) < now() - make_interval(secs => ${lateSeconds}))), false) as whole
      from members group by k),
    in_turn as (select k, batch, bool_and(whole) over (order by k) as due from batches)
    insert into updates (research_id, k, batch)
    select ${researchId}, k, batch from in_turn where due order by k
    on conflict do nothing returning k, jsonb_array_length(batch) as samples`);
  return rows.rows;
}

/** Other trials `f` of the candidate of trial `t` under a condition. */
const runsLike = (condition: SQL): SQL => sql`select 1 from trials f
  where f.research_id = t.research_id and f.candidate_id = t.candidate_id and f.id <> t.id
    and ${inSearch(sql`f.kind`)} and ${condition}`;

/** Trials of an update's batch, in the order of their numbers. */
export const loadBatchTrials = (db: Tx, { researchId, k }: { researchId: string; k: number }): Promise<Trial[]> =>
  db
    .select()
    .from(trials)
    .where(
      sql`${trials.id} in (select jsonb_array_elements_text(batch) from updates
        where research_id = ${researchId} and k = ${k})`,
    )
    .orderBy(asc(trials.n));

/** Counts of a research's updates that decide how many samples may be under way. */
export async function countUpdates(
  db: Tx,
  researchId: string,
): Promise<{ closed: number; due: number | null; open: number }> {
  const rows = await db.execute<{ closed: number; due: number | null; open: number }>(sql`
    select (select count(*)::int from updates where research_id = ${researchId} and state <> 'due') as closed,
      (select min(k) from updates where research_id = ${researchId} and state = 'due') as due,
      (select count(*)::int from trials t where t.research_id = ${researchId} and t.status is null and t.kind = 'search'
        and t.proposer is null) as open`);
  const { closed = 0, due = null, open = 0 } = rows.rows[0] ?? {};
  return { closed, due, open };
}

const isUpdate = ({ researchId, k }: { researchId: string; k: number }) =>
  and(eq(updates.researchId, researchId), eq(updates.k, k));

export async function findUpdate(db: Tx, key: { researchId: string; k: number }): Promise<Update | undefined> {
  return (await db.select().from(updates).where(isUpdate(key)))[0];
}

/** Fixes what an update starts from; the first attempt's choice stays. */
export async function beginUpdate(
  tx: Tx,
  {
    researchId,
    k,
    ...start
  }: { researchId: string; k: number } & Pick<Update, 'parent' | 'parentCheckpoint' | 'adjustments'>,
): Promise<Update> {
  const [row] = await tx
    .update(updates)
    .set({ ...start, begunAt: sql`now()` })
    .where(and(isUpdate({ researchId, k }), sql`${updates.begunAt} is null`))
    .returning();
  const stored = row ?? (await findUpdate(tx, { researchId, k }));
  if (!stored) throw new Error(`Expected update ${k} of ${researchId} in the database`);
  return stored;
}

type Ending = Pick<Update, 'state'> &
  Partial<Pick<Update, 'stepKey' | 'checkpoint' | 'metrics' | 'versions' | 'seconds' | 'skipped' | 'fired' | 'reason'>>;

/** Stores how an update ended; false if it had ended before. */
export async function endUpdate(
  tx: Tx,
  { researchId, k, ...ending }: { researchId: string; k: number } & Ending,
): Promise<boolean> {
  const rows = await tx
    .update(updates)
    .set({ ...ending, endedAt: sql`now()` })
    .where(and(isUpdate({ researchId, k }), eq(updates.state, 'due')))
    .returning({ k: updates.k });
  return rows.length > 0;
}

/** Checkpoint of a version, and the key that names its folder; undefined if that update made no version. */
export async function findVersion(
  db: Tx,
  { researchId, version }: { researchId: string; version: number },
): Promise<{ checkpoint: string; stepKey: string } | undefined> {
  const row = await findUpdate(db, { researchId, k: version });
  return row?.checkpoint && row.stepKey ? { checkpoint: row.checkpoint, stepKey: row.stepKey } : undefined;
}

/** Metrics of updates with `after` < k < `before` that have some, newest last. */
export async function readMetrics(
  db: Tx,
  { researchId, after, before }: { researchId: string; after: number; before: number },
): Promise<Record<string, number>[]> {
  const rows = await db
    .select({ metrics: updates.metrics })
    .from(updates)
    .where(
      and(eq(updates.researchId, researchId), gt(updates.k, after), lt(updates.k, before), isNotNull(updates.metrics)),
    )
    .orderBy(asc(updates.k));
  return rows.map(({ metrics }) => metrics ?? {});
}

/** Changes the state of a research's learning. */
export async function setPolicy(
  tx: Tx,
  researchId: string,
  fields: Partial<Pick<typeof policies.$inferSelect, 'inForce' | 'pinned' | 'halted' | 'judgedFrom' | 'adjustments'>>,
): Promise<void> {
  await tx
    .update(policies)
    .set({ ...fields, updatedAt: sql`now()` })
    .where(eq(policies.researchId, researchId));
}

/** Number of the last update of a research that has ended; 0 if there is none. */
export async function lastUpdate(db: Tx, researchId: string): Promise<number> {
  const rows = await db.execute<{ k: number }>(
    sql`select coalesce(max(k), 0)::int as k from updates where research_id = ${researchId} and state <> 'due'`,
  );
  return rows.rows[0]?.k ?? 0;
}

/** Number of consecutive last updates without a version. */
export async function countUpdatesWithoutVersion(db: Tx, researchId: string): Promise<number> {
  const rows = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from updates where research_id = ${researchId} and state <> 'due'
      and k > greatest((select coalesce(max(k), 0) from updates where research_id = ${researchId} and state = 'done'),
        (select judged_from from policies where research_id = ${researchId}))`);
  return rows.rows[0]?.n ?? 0;
}

/** Counts a failed step of an update; returns the number of failed steps. */
export async function noteFailedStep(db: Tx, { researchId, k }: { researchId: string; k: number }): Promise<number> {
  const [row] = await db
    .update(updates)
    .set({ failures: sql`${updates.failures} + 1` })
    .where(isUpdate({ researchId, k }))
    .returning({ failures: updates.failures });
  return row?.failures ?? 0;
}

/** Due updates of all researches. */
export const findDueUpdates = (db: Tx): Promise<{ researchId: string; k: number }[]> =>
  db.select({ researchId: updates.researchId, k: updates.k }).from(updates).where(eq(updates.state, 'due'));
