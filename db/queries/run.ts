import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Failure } from '../../domain/trial.ts';
import { cleanText } from '../clean-text.ts';
import type { Db, Tx } from '../connect.ts';
import { artefacts, blobs, points, runs, trials } from '../schema.ts';
import { saveBlobs } from './blobs.ts';
import type { Lease } from './slots.ts';
import { freeSlot } from './slots.ts';

export type Run = typeof runs.$inferSelect;
type Key = { trialId: string; placement: number };

const byKey = (key: Key) => and(eq(runs.trialId, key.trialId), eq(runs.placement, key.placement));

/** The run of a placement. */
export async function findRun(db: Tx, key: Key): Promise<Run | undefined> {
  return (await db.select().from(runs).where(byKey(key)))[0];
}

/**
 * Writes down where a placement is about to run; a repeated launch under a newer lease takes it over. False where the
 * lease is no longer the trial's or the trial has ended: whoever asks was asleep and must not start anything.
 */
export async function beginRun(db: Db, input: Key & { lease: Lease }): Promise<boolean> {
  const { lease, ...key } = input;
  const place = { host: lease.host, slotId: lease.id, fence: lease.fence };
  return db.transaction(async (tx) => {
    if (!(await holdsLease(tx, { trialId: key.trialId, fence: lease.fence }))) return false;
    await tx
      .insert(runs)
      .values({ ...key, ...place })
      .onConflictDoUpdate({
        target: [runs.trialId, runs.placement],
        set: place,
        setWhere: sql`${runs.fence} < ${lease.fence} and ${runs.end} is null`,
      });
    await tx
      .update(trials)
      .set({
        slotId: lease.id,
        placement: key.placement,
        slotWaitSeconds: sql`coalesce(${trials.slotWaitSeconds}, ${lease.slotWaitSeconds})`,
        staleness: sql`coalesce(trials.staleness, (select count(*) from trials done where done.research_id = trials.research_id and done.status is not null) - trials.context_ended)`,
      })
      .where(eq(trials.id, key.trialId));
    return true;
  });
}

/** True while the trial is open and holds a slot under that fence. */
export async function holdsLease(db: Tx, input: { trialId: string; fence: number }): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from slots join trials on trials.id = slots.trial_id
    where slots.trial_id = ${input.trialId} and slots.fence = ${input.fence} and slots.state = 'leased' and trials.status is null`);
  return rows.rows.length > 0;
}

/** The supervisor is under way. */
export async function markLaunched(db: Tx, key: Key): Promise<void> {
  await db.execute(sql`
    with launched as (
      update runs set launched_at = coalesce(launched_at, now()) where trial_id = ${key.trialId} and placement = ${key.placement} returning launched_at)
    update trials set started_at = coalesce(started_at, launched.launched_at) from launched where id = ${key.trialId}`);
}

/** Makes the caller the only one that may write points: an older monitor's commits fail from here on. */
export async function takeOver(db: Tx, key: Key): Promise<Run | undefined> {
  const rows = await db
    .update(runs)
    .set({ follower: sql`${runs.follower} + 1` })
    .where(byKey(key))
    .returning();
  await db
    .update(trials)
    .set({ attempts: sql`${trials.attempts} + 1` })
    .where(eq(trials.id, key.trialId));
  return rows[0];
}

export interface Progress extends Key {
  follower: number;
  from: number;
  to: number;
  reader: unknown;
  points: { seq: number; step: number; elapsed: number; value: number }[];
}

/** Commits points together with the offset they were read up to. False: a newer monitor took over. */
export async function saveProgress(db: Db, input: Progress): Promise<boolean> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .update(runs)
      .set({ logOffset: input.to, reader: input.reader })
      .where(and(byKey(input), eq(runs.follower, input.follower), eq(runs.logOffset, input.from)))
      .returning({ trialId: runs.trialId });
    if (rows.length === 0) return false;
    for (let i = 0; i < input.points.length; i += 5000)
      await tx
        .insert(points)
        .values(
          input.points
            .slice(i, i + 5000)
            .map((point) => ({ trialId: input.trialId, placement: input.placement, ...point })),
        );
    return true;
  });
}

/** Stores the decision to stop a run: decided is decided, once. Returns the decision that stands; undefined if fenced off. */
export async function saveStop(db: Tx, input: Key & { follower: number; stop: Failure }): Promise<Failure | undefined> {
  const rows = await db
    .update(runs)
    .set({ stop: sql`coalesce(${runs.stop}, ${JSON.stringify(input.stop)}::jsonb)` })
    .where(and(byKey(input), eq(runs.follower, input.follower)))
    .returning({ stop: runs.stop });
  return rows[0]?.stop ?? undefined;
}

export interface RunEnding extends Key {
  follower: number;
  end: unknown;
  logTail: string;
  seconds: number;
  artefacts: { path: string; content: Uint8Array }[];
}

/** Stores how a run ended and what it left. False: a newer monitor took over. */
export async function saveRunEnd(db: Db, input: RunEnding): Promise<boolean> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .update(runs)
      .set({ end: input.end, logTail: cleanText(input.logTail), endedAt: sql`now()` })
      .where(and(byKey(input), eq(runs.follower, input.follower)))
      .returning({ trialId: runs.trialId });
    if (rows.length === 0) return false;
    const hashes = await saveBlobs(
      tx,
      input.artefacts.map((artefact) => artefact.content),
    );
    const rowsToInsert = input.artefacts.map((artefact, index) => ({
      trialId: input.trialId,
      placement: input.placement,
      path: artefact.path,
      blobHash: hashes[index] ?? '',
    }));
    if (rowsToInsert.length > 0) await tx.insert(artefacts).values(rowsToInsert).onConflictDoNothing();
    await tx.update(trials).set({ seconds: input.seconds }).where(eq(trials.id, input.trialId));
    return true;
  });
}

/** Notes that nothing of a placement runs any more, where its end did not say so (lost, killed). */
export async function closeRun(db: Tx, key: Key): Promise<void> {
  await db
    .update(runs)
    .set({ endedAt: sql`now()` })
    .where(and(byKey(key), isNull(runs.endedAt)));
}

/** Frees the slot that a placement ran on. */
export async function freeSlotOf(db: Tx, key: Key): Promise<void> {
  await closeRun(db, key);
  const run = await findRun(db, key);
  if (run) await freeSlot(db, { trialId: key.trialId, fence: run.fence });
}

/** Leases whose trial has an outcome: something died between outcome and release. */
export async function findStaleLeases(db: Tx): Promise<{ trialId: string; fence: number; placement: number }[]> {
  const rows = await db.execute<{ trialId: string; fence: number; placement: number }>(sql`
    select slots.trial_id as "trialId", slots.fence::float8 as fence, trials.placement from slots
    join trials on trials.id = slots.trial_id where slots.state = 'leased' and trials.status is not null
      and trials.ended_at < now() - interval '5 seconds'`);
  return rows.rows;
}

/** What a placement left behind. */
export async function loadArtefacts(db: Tx, key: Key): Promise<{ path: string; content: Uint8Array }[]> {
  return db
    .select({ path: artefacts.path, content: blobs.content })
    .from(artefacts)
    .innerJoin(blobs, eq(blobs.hash, artefacts.blobHash))
    .where(and(eq(artefacts.trialId, key.trialId), eq(artefacts.placement, key.placement)))
    .orderBy(artefacts.path);
}
