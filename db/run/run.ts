import { and, eq, getTableColumns, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import type { JobWait } from '../../domain/fleet/preparing.ts';
import { isTrialId } from '../../domain/trial/ids.ts';
import type { JobSpec } from '../../domain/job.ts';
import type { Failure } from '../../domain/trial.ts';
import type { Db, Tx } from '../connect.ts';
import { artefacts, blobs, jobs, outputs, points, runs, trials } from '../schema.ts';
import { eventsFrom } from '../event/insert-events.ts';
import { countEnded } from '../trial/count-ended.ts';
import { requestProbesOfHosts, type Lease, SLOTS_CHANNEL, MAY_BE_LENT } from '../slot/slots.ts';

export type Run = typeof runs.$inferSelect;
type Key = { jobId: string; placement: number };

/**
 * Locks the trial's row before the run's, as statements that write an end do. A job that is no trial has no such row.
 */
const trialFirst = (jobId: string): SQL => sql`
  mine as (select research_id, n, started_at from trials where id = ${jobId} for no key update),
  locked as (select count(*) as trials from mine)`;

const byKey = (key: Key) => and(eq(runs.jobId, key.jobId), eq(runs.placement, key.placement));

/** The run of a placement. */
export async function findRun(db: Tx, key: Key): Promise<Run | undefined> {
  return (await db.select().from(runs).where(byKey(key)))[0];
}

/**
 * Stores where a placement is about to run; a launch under a newer lease takes the row over. Returns false if the lease
 * is no longer the job's or the job has ended: the caller was suspended, and must not start anything. Returns false,
 * too, if the placement was closed without an end, or began on another host, which may still run it.
 */
export async function beginRun(
  db: Tx,
  input: Key & { lease: Lease; hardware?: string | null; environment?: string | undefined },
): Promise<boolean> {
  const { lease, jobId, placement, hardware = null, environment = null } = input;
  const rows = await db.execute(sql`
    with held as (${leaseOf({ jobId, fence: lease.fence })}), ${trialFirst(jobId)},
    placed as (
      insert into runs (trial_id, placement, host, slot_id, fence, machine, hardware, environment)
      select ${jobId}, ${placement}::int, ${lease.host}, ${lease.id}, ${lease.fence}::bigint, ${machineOf(lease)},
        ${hardware}, ${environment}
      from held, locked
      on conflict (trial_id, placement) do update
        set host = excluded.host, slot_id = excluded.slot_id, fence = excluded.fence, machine = excluded.machine,
          hardware = excluded.hardware, environment = excluded.environment
      where runs.fence < excluded.fence and runs."end" is null and runs.host = excluded.host),
    begun as (
      select 1 from held where not exists (
        select 1 from runs where trial_id = ${jobId} and placement = ${placement}
          and (host <> ${lease.host} or (ended_at is not null and "end" is null)))),
    noted as (
      update trials set slot_id = ${lease.id}, placement = ${placement}, waits_for = null,
        slot_wait_seconds = coalesce(slot_wait_seconds, ${lease.slotWaitSeconds}),
        staleness = coalesce(staleness, ${countEnded(sql`trials.research_id`)} - context_ended)
      where id = ${jobId} and exists (select 1 from begun))
    select 1 from begun`);
  return rows.rows.length > 0;
}

/** Facts of the host, with only the GPUs of the slot; null if the host has no row. */
const machineOf = ({ host, gpu }: Lease): SQL => sql`(
  select (facts - 'gpusSeen') || jsonb_build_object('gpus', coalesce(
    (select jsonb_agg(one) from jsonb_array_elements(facts->'gpus') one
      where one->>'uuid' = any(string_to_array(${gpu}::text, ','))),
    '[]'))
  from hosts where name = ${host})`;

/** Stores what a job waits for while it holds a slot and its run has not begun; null: nothing. */
export async function noteWait(db: Tx, input: { jobId: string; waitsFor: JobWait | null }): Promise<void> {
  const { jobId: id, waitsFor } = input;
  if (isTrialId(id))
    await db
      .update(trials)
      .set({ waitsFor })
      .where(and(eq(trials.id, id), isNull(trials.status)));
  else
    await db
      .update(jobs)
      .set({ waitsFor })
      .where(and(eq(jobs.id, id), isNull(jobs.endedAt)));
}

/** Selects a row if the job is open and holds a slot under that fence. */
const leaseOf = ({ jobId, fence }: { jobId: string; fence: number }): SQL => sql`
  select 1 from slots join jobs open on open.id = slots.trial_id
  where slots.trial_id = ${jobId} and slots.fence = ${fence} and slots.state = 'leased' and open.ended_at is null`;

/** Stores that the supervisor runs. Returns false if the job has ended, or holds another lease, meanwhile. */
export async function markLaunched(db: Tx, input: Key & { fence: number }): Promise<boolean> {
  const { jobId, placement } = input;
  const rows = await db.execute(sql`
    with ${trialFirst(jobId)},
    launched as (
      update runs set launched_at = coalesce(launched_at, now()) from locked
      where trial_id = ${jobId} and placement = ${placement} and exists (${leaseOf(input)})
      returning launched_at, host, slot_id),
    first as (select research_id, n from mine where started_at is null),
    told as (${eventsFrom({ kind: 'trial-started', rows: STARTED })}),
    noted as (
      update trials set started_at = coalesce(started_at, launched.launched_at)
      from launched left join first on true where id = ${jobId})
    select 1 from launched`);
  return rows.rows.length > 0;
}

/** Event of a trial that had not started before, on any slot. */
const STARTED = sql`
  select first.research_id, first.n, jsonb_build_object('host', launched.host, 'slot', launched.slot_id)
  from first, launched`;

/** True if no newer monitor has taken the run over. */
export async function isFollower(db: Tx, input: Key & { follower: number }): Promise<boolean> {
  return (await findRun(db, input))?.follower === input.follower;
}

/**
 * A run with the task and the spec of its job. `settled`: the job has ended. `secondsAgo`: seconds since the launch, by
 * the database's clock, which also set the time of the launch.
 */
export type FollowedRun = Run & { taskHash: string; spec: JobSpec; settled: boolean; secondsAgo: number | null };

/** Makes the caller the only monitor that may write points: commits of older monitors fail from now on. */
export async function becomeFollower(db: Tx, key: Key): Promise<FollowedRun | undefined> {
  const attempt = db.$with('attempt').as(
    db
      .update(trials)
      .set({ attempts: sql`${trials.attempts} + 1` })
      .where(eq(trials.id, key.jobId))
      .returning({ id: trials.id }),
  );
  // The lock waits for an end that is being written. It comes after the trial's row, as in writeOutcome.
  const job = db.$with('job').as(
    db
      .select({
        id: jobs.id,
        taskHash: sql<string>`${jobs.taskHash}`.as('task_hash'),
        spec: jobs.spec,
        settled: sql<boolean>`${jobs.endedAt} is not null`.as('settled'),
      })
      .from(jobs)
      .leftJoin(attempt, eq(attempt.id, jobs.id))
      // A job without a task has no monitor.
      .where(and(eq(jobs.id, key.jobId), isNotNull(jobs.taskHash)))
      .for('share', { of: jobs }),
  );
  const rows = await db
    .with(attempt, job)
    .update(runs)
    .set({ follower: sql`${runs.follower} + 1` })
    .from(job)
    .where(and(byKey(key), eq(job.id, runs.jobId)))
    .returning({
      ...getTableColumns(runs),
      taskHash: job.taskHash,
      spec: job.spec,
      settled: job.settled,
      secondsAgo: sql<number | null>`extract(epoch from now() - ${runs.launchedAt})::float8`,
    });
  return rows[0];
}

export interface Progress extends Key {
  follower: number;
  from: number;
  to: number;
  reader: unknown;
  points: { seq: number; step: number; elapsed: number; value: number; share?: number }[];
  /** Bytes that were read, if output is kept. */
  output?: Buffer;
  /** True if a server reported that it serves. */
  ready?: boolean;
}

/** Commits points and kept output with the offset up to which they were read. False: a newer monitor took over. */
export async function saveProgress(db: Db, input: Progress): Promise<boolean> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .update(runs)
      .set({
        logOffset: input.to,
        reader: input.reader,
        readyAt: input.ready === true ? sql`coalesce(${runs.readyAt}, now())` : undefined,
      })
      .where(and(byKey(input), eq(runs.follower, input.follower), eq(runs.logOffset, input.from)))
      .returning({ jobId: runs.jobId });
    if (rows.length === 0) return false;
    const { jobId, placement, from, output } = input;
    if (output && output.length > 0)
      await tx.insert(outputs).values({ jobId, placement, offset: from, content: output });
    for (let i = 0; i < input.points.length; i += 5000)
      await tx
        .insert(points)
        .values(
          input.points
            .slice(i, i + 5000)
            .map((point) => ({ jobId: input.jobId, placement: input.placement, ...point })),
        );
    return true;
  });
}

/**
 * Stores the decision to stop a run. The first decision stays, and is returned; undefined: a newer monitor took over.
 */
export async function saveStop(db: Tx, input: Key & { follower: number; stop: Failure }): Promise<Failure | undefined> {
  const rows = await db
    .update(runs)
    .set({ stop: sql`coalesce(${runs.stop}, ${JSON.stringify(input.stop)}::jsonb)` })
    .where(and(byKey(input), eq(runs.follower, input.follower)))
    .returning({ stop: runs.stop });
  return rows[0]?.stop ?? undefined;
}

/** Stores the shortage of the machine that made the run fail; the first one stays. False: a newer monitor took over. */
export async function saveShortage(db: Tx, input: Key & { follower: number; shortage: string }): Promise<boolean> {
  const rows = await db
    .update(runs)
    .set({ shortage: sql`coalesce(${runs.shortage}, ${input.shortage})` })
    .where(and(byKey(input), eq(runs.follower, input.follower)))
    .returning({ jobId: runs.jobId });
  return rows.length > 0;
}

/** Stores the wait for a CPU that made the run contended. False: a newer monitor took over. */
export async function saveContention(db: Tx, input: Key & { follower: number; contention: string }): Promise<boolean> {
  const rows = await db
    .update(runs)
    .set({ contention: input.contention })
    .where(and(byKey(input), eq(runs.follower, input.follower)))
    .returning({ jobId: runs.jobId });
  return rows.length > 0;
}

/** Stores that nothing of a placement runs any more, if no end was stored (lost, killed). */
export async function closeRun(db: Tx, key: Key): Promise<void> {
  await db
    .update(runs)
    .set({ endedAt: sql`now()` })
    .where(and(byKey(key), isNull(runs.endedAt)));
}

/**
 * Frees the slot of a placement of which nothing runs any more. Returns false if the slot was free already; the row may
 * then be open for the next probe of its host.
 */
export async function freeSlotOfPlacement(db: Tx, key: Key): Promise<boolean> {
  await requestProbesOfHosts(db, sql`slots.trial_id = ${key.jobId} and slots.wanted and not ${MAY_BE_LENT}`);
  const rows = await db.execute(sql`
    with closed as (
      update runs set ended_at = coalesce(ended_at, now())
      where trial_id = ${key.jobId} and placement = ${key.placement} and (
        host not in (select name from hosts) or exists (
          select 1 from slots held
          where held.trial_id = runs.trial_id and held.fence = runs.fence and held.state = 'leased'))
      returning fence),
    freed as (
      update slots set state = 'free', trial_id = null, free_since = now(), wanted = ${MAY_BE_LENT} from closed
      where slots.trial_id = ${key.jobId} and slots.fence = closed.fence and slots.state = 'leased' returning pool)
    select pg_notify(${SLOTS_CHANNEL}, pool) from freed`);
  return rows.rows.length > 0;
}

/** Leases of jobs that ended over five seconds ago: a worker died between the end and the release. */
export async function findStaleLeases(db: Tx): Promise<{ jobId: string; fence: number; placement: number }[]> {
  const rows = await db.execute<{ jobId: string; fence: number; placement: number }>(sql`
    select slots.trial_id as "jobId", slots.fence::float8 as fence,
      coalesce((select max(placement) from runs where runs.trial_id = jobs.id), 0) as placement
    from slots join jobs on jobs.id = slots.trial_id
    where slots.state = 'leased' and jobs.ended_at < now() - interval '5 seconds'`);
  return rows.rows;
}

/** Artefacts of a placement. */
export async function loadArtefacts(db: Tx, key: Key): Promise<{ path: string; content: Uint8Array }[]> {
  return db
    .select({ path: artefacts.path, content: blobs.content })
    .from(artefacts)
    .innerJoin(blobs, eq(blobs.hash, artefacts.blobHash))
    .where(and(eq(artefacts.jobId, key.jobId), eq(artefacts.placement, key.placement)))
    .orderBy(artefacts.path);
}
