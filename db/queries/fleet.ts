import { and, eq, getTableColumns, gt, inArray, sql } from 'drizzle-orm';
import type { FleetSlot, HostFacts } from '../../domain/fleet/slots.ts';
import { type HeldSlot, withoutHeld } from '../../domain/fleet/held.ts';
import { FIRST_SECONDS, FORGIVEN_SECONDS, LONGEST_SECONDS } from '../../domain/fleet/probation.ts';
import type { Db, Tx } from '../connect.ts';
import { hosts, slots } from '../schema.ts';
import { declareSlots, doubtHostOf, SLOTS_CHANNEL } from './slots.ts';

/** NOTIFY channel: a fleet was applied, a host drained or resumed. */
export const FLEET_CHANNEL = 'perpetua_fleet';
/** A host that does well is looked at this often; one that failed, when its quarantine is over. */
const LOOK_SECONDS = 30;

export type HostRow = typeof hosts.$inferSelect;

/** Workers look at the fleet anew. */
export const tellWorkers = async (tx: Tx): Promise<void> =>
  void (await tx.execute(sql`select pg_notify(${FLEET_CHANNEL}, '')`));

/** One that would go on ends now, and is seen by the next look. */
export const QUARANTINE_OVER = sql`case when ${hosts.quarantinedUntil} > now() then now() else ${hosts.quarantinedUntil} end`;

/**
 * Lets what runs on these hosts finish and places nothing there, or takes that back, and a quarantine with it; returns the
 * hosts it changed.
 */
export async function drainHosts(db: Db, input: { names: string[]; drain: boolean }): Promise<string[]> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .update(hosts)
      .set(input.drain ? { state: 'draining' } : { state: 'serving', failures: 0, quarantinedUntil: QUARANTINE_OVER })
      .where(
        and(
          inArray(hosts.name, input.names),
          input.drain
            ? eq(hosts.state, 'serving')
            : sql`(${hosts.state} = 'draining' or (${hosts.state} = 'serving' and ${hosts.quarantinedUntil} > now()))`,
        ),
      )
      .returning({ name: hosts.name });
    if (input.drain) await withdrawOffersOn(tx, input.names);
    await tellWorkers(tx);
    await tx.execute(
      sql`select pg_notify(${SLOTS_CHANNEL}, pool) from hosts where name = any(${sql.param(input.names)})`,
    );
    return rows.map(({ name }) => name);
  });
}

/** A look may be claimed: by the clock of the database, which set all of its times; those of workers differ. */
const DUE = sql<boolean>`(coalesce(${hosts.quarantinedUntil}, '-infinity') < now()
  and (${hosts.lookedAt} is null or coalesce(${hosts.lookedAt} < ${hosts.quarantinedUntil}, false)
    or (${hosts.lookedAt} < now() - make_interval(secs => ${LOOK_SECONDS}))))`;

/** A host, and whether it may be time to look at it. */
export type KnownHost = HostRow & { due: boolean };

/**
 * How long a host that was taken out is still awaited for what it may run, where nothing there is followed any more: since it
 * was taken out, since a look at it went well, or since the last of its slots was given back.
 */
const AWAITED = sql`interval '1 day'`;

/** A host that is in the fleet, or was and is still needed by who holds a slot of it, or not long ago had something to end. */
export const OF_INTEREST = sql<boolean>`(${hosts.state} <> 'removed'
  or exists (select 1 from slots where slots.host = ${hosts.name} and slots.state = 'leased')
  or (exists (select 1 from runs where runs.host = ${hosts.name} and runs.ended_at is null)
    and greatest(${hosts.seenAt}, ${hosts.appliedAt},
      (select max(slots.free_since) from slots where slots.host = ${hosts.name})) > now() - ${AWAITED}))`;

/** Every host that is in the fleet, or was and is still of interest. */
export async function findHosts(db: Tx): Promise<KnownHost[]> {
  return db
    .select({
      ...getTableColumns(hosts),
      // One that was removed is of interest only while it fails.
      due: sql<boolean>`${DUE} and (${hosts.state} <> 'removed' or ${hosts.quarantinedUntil} is not null or ${hosts.lookedAt} is null)`,
    })
    .from(hosts)
    .where(OF_INTEREST)
    .orderBy(hosts.name);
}

/** When a look began, by the clock of the database, and what had been doubted by then. */
export interface LookMark {
  at: string;
  doubts: number;
}

/** For the one worker that shall look at this host now a mark of its look, which `hostWell` asks for; null for the others. */
export async function claimLook(db: Tx, name: string): Promise<LookMark | null> {
  const rows = await db
    .update(hosts)
    .set({ lookedAt: sql`now()` })
    .where(and(eq(hosts.name, name), DUE))
    // A Date would lose the microseconds.
    .returning({ at: sql<string>`${hosts.lookedAt}::text`, doubts: hosts.doubts });
  return rows[0] ?? null;
}

/**
 * A look went well: the host serves these slots, and no others. Not where it failed, or was doubted, since the look began
 * (another look that began meanwhile is neither), nor beside what is left there of trials that went on elsewhere, or holds
 * what a slot needs: the next look tells.
 */
export async function hostWell(
  db: Db,
  input: {
    /** As they were when the look began. */
    host: Pick<HostRow, 'name' | 'pool' | 'spec' | 'poolSpec'>;
    facts: HostFacts;
    slots: FleetSlot[];
    note: string | null;
    /** What `claimLook` gave for it; default: whichever look was last. */
    mark?: LookMark;
    /** Since when run directories were left there that are still to be removed; default: none are. */
    leftSince?: Date | null;
  },
): Promise<void> {
  const { facts, slots, note, mark, leftSince = null } = input;
  const { name, pool, spec, poolSpec } = input.host;
  await db.transaction(async (tx) => {
    const [row] = await tx
      .update(hosts)
      .set({ facts: withSeen(facts), note, leftSince, quarantinedUntil: null, seenAt: sql`now()` })
      .where(
        and(
          eq(hosts.name, name),
          sql`${hosts.spec} = ${JSON.stringify(spec)}::jsonb and ${hosts.poolSpec} = ${JSON.stringify(poolSpec)}::jsonb`,
          sql`(${hosts.lastErrorAt} is null or ${hosts.lookedAt} is null or ${hosts.lastErrorAt} < ${hosts.lookedAt})`,
          ...(mark ? [eq(hosts.doubts, mark.doubts), asOldWorkersDoubt(mark)] : []),
        ),
      )
      .returning({ state: hosts.state });
    if (!row || row.state === 'removed' || (await findOrphans(tx, name)).length > 0) return;
    const ids = new Set(slots.map(({ key }) => `${name}/${pool}/${key}`));
    const held = (await findHeld(tx, name)).filter(({ id }) => !ids.has(id));
    await declareSlots(
      tx,
      withoutHeld({ pool, slots, held }).map(({ key, index, gpu }) => ({
        id: `${name}/${pool}/${key}`,
        pool,
        host: name,
        index,
        gpu,
      })),
      { host: name },
    );
    await tx.execute(sql`select pg_notify(${SLOTS_CHANNEL}, ${pool})`);
  });
}

/** They date the look back, and count nothing. */
const asOldWorkersDoubt = ({ at }: LookMark) => sql`${hosts.lookedAt} >= ${at}::timestamptz`;

/** Of GPUs that a look knew from before only those that are still known: a fleet that was applied meanwhile has forgotten them. */
function withSeen(facts: HostFacts) {
  const { gpus, gpusSeen } = facts;
  if (!gpusSeen) return facts;
  const found = JSON.stringify(gpus.map(({ uuid }) => uuid));
  return sql`${JSON.stringify(facts)}::jsonb || jsonb_build_object('gpusSeen', (
    select coalesce(jsonb_agg(uuid order by place), '[]')
    from jsonb_array_elements_text(${JSON.stringify(gpusSeen)}::jsonb) with ordinality as seen (uuid, place)
    where ${found}::jsonb ? uuid
      or coalesce(${hosts.facts}->'gpusSeen', jsonb_path_query_array(${hosts.facts}, '$.gpus[*].uuid')) ? uuid))`;
}

/** What was left on a host is removed. */
export async function leftRemoved(db: Db, name: string): Promise<void> {
  await db.update(hosts).set({ leftSince: null }).where(eq(hosts.name, name));
}

const DOUBTED = { lookedAt: sql`to_timestamp(0)`, doubts: sql`${hosts.doubts} + 1` };

/** Something was lost on a host: it is looked at in the next round, and a look that began earlier tells nothing. */
export async function doubtHost(db: Tx, name: string): Promise<void> {
  await db.update(hosts).set(DOUBTED).where(eq(hosts.name, name));
}

/**
 * A host failed: nothing is placed there for a while that grows with each failure in a row; failures within one such
 * while are one.
 */
export async function hostFailed(db: Db, input: { name: string; message: string }): Promise<void> {
  const { name } = input;
  await db.transaction(async (tx) => {
    const before = sql`case when last_error_at < now() - make_interval(secs => ${FORGIVEN_SECONDS}) then 0 else failures end`;
    // One statement: whoever applies a fleet locks the table first, and would wait for a row that waits for the table.
    await tx.execute(sql`
      update hosts set last_error = ${input.message.slice(0, 2000)}, last_error_at = now(), doubts = doubts + 1,
        failures = case when quarantined_until > now() then failures else ${before} + 1 end,
        quarantined_until = case when quarantined_until > now() then quarantined_until
          else now() + make_interval(secs => least(${LONGEST_SECONDS}, ${FIRST_SECONDS} * 2 ^ least(${before}, 16))) end
      where name = ${name}`);
    await withdrawOffersOn(tx, [name]);
  });
}

/**
 * A run was lost on a host that answers: it is looked at in the next round, and where no run has come to its end there since the
 * one before was lost, or it failed, that is a failure.
 */
export async function runLost(db: Db, input: { name: string; message: string }): Promise<void> {
  const { name } = input;
  const first = await db
    .update(hosts)
    .set({ failures: 1, ...DOUBTED })
    .where(and(eq(hosts.name, name), eq(hosts.failures, 0)))
    .returning({ name: hosts.name });
  if (first.length > 0) return;
  await hostFailed(db, input);
}

/** A run came to its end on a host: whatever fails there next is the first of its row. */
export async function hostWorked(db: Tx, name: string): Promise<void> {
  await db
    .update(hosts)
    .set({ failures: 0 })
    .where(and(eq(hosts.name, name), gt(hosts.failures, 0)));
}

/** What a person should know of a host that works; the next look says something else. */
export async function noteOnHost(db: Tx, { name, note }: { name: string; note: string }): Promise<void> {
  await db
    .update(hosts)
    .set({ note: note.slice(0, 2000) })
    .where(eq(hosts.name, name));
}

/** Lends a slot to nobody else before a look has declared it anew; who holds it keeps it. */
export async function retireSlot(db: Tx, id: string): Promise<void> {
  // A look that is under way may have seen it before.
  await doubtHostOf(db, sql`slots.id = ${id}`);
  await db.update(slots).set({ wanted: false }).where(eq(slots.id, id));
}

/** Hosts of a pool that serve. */
export async function countServing(db: Tx, pool: string): Promise<number> {
  return db.$count(hosts, and(eq(hosts.pool, pool), eq(hosts.state, 'serving')));
}

/** Slots of a host that are lent. */
async function findHeld(tx: Tx, host: string): Promise<HeldSlot[]> {
  const rows = await tx.execute<HeldSlot & Record<string, unknown>>(
    sql`select id, pool, gpu from slots where host = ${host} and state = 'leased'`,
  );
  return rows.rows;
}

/** Whoever holds an offer there would only find out that nothing may be placed. */
const withdrawOffersOn = async (tx: Tx, names: string[]): Promise<void> =>
  void (await tx.execute(sql`
    with locked as materialized (
      select id from slots where host = any(${sql.param(names)}) and state = 'offered' order by id for update)
    update slots set state = 'free', holder = null, offered_until = null where id in (select id from locked)`));

/**
 * Seconds since a host was last in contact: with a look of any worker, or with the caller, who heard of it, or began, that
 * many seconds ago: after a night off everybody was silent. Undefined for a host that was never in the fleet.
 */
export async function hostAway(
  db: Tx,
  { name, heardSecondsAgo }: { name: string; heardSecondsAgo: number },
): Promise<number | undefined> {
  const rows = await db.execute<{ seconds: number }>(sql`
    select extract(epoch from now() - greatest(coalesce(seen_at, applied_at), now() - make_interval(secs => ${heardSecondsAgo})))::float8 as seconds
    from hosts where name = ${name}`);
  return rows.rows[0]?.seconds;
}

/** GPUs of a host of which we hold a slot. */
export async function findGpusLent(db: Tx, host: string): Promise<string[]> {
  const rows = await db.execute<{ gpu: string }>(
    sql`select distinct gpu from slots where host = ${host} and gpu is not null and state = 'leased'`,
  );
  return rows.rows.flatMap(({ gpu }) => gpu.split(','));
}

/** A placement whose host may still run it, while the trial goes on without it. */
export interface Orphan extends Record<string, unknown> {
  trialId: string;
  placement: number;
  fence: number;
}

/** Runs of a host that nobody follows any more and that nobody saw end. */
export async function findOrphans(db: Tx, host: string): Promise<Orphan[]> {
  const rows = await db.execute<Orphan>(sql`
    select trial_id as "trialId", placement, fence::float8 as fence from runs
    where host = ${host} and ended_at is null and not exists (
      select 1 from slots where slots.trial_id = runs.trial_id and slots.fence = runs.fence and slots.state = 'leased')`);
  return rows.rows;
}

/** Slots that a pool could lend now or later; a host that nobody has looked at yet, or that lends none now, counts as one. */
export async function countSlots(db: Tx, pool: string): Promise<number> {
  const rows = await db.execute<{ count: number }>(
    sql`select coalesce(sum(greatest(1, (
        select count(*) from slots where slots.host = hosts.name and slots.pool = hosts.pool and slots.wanted))), 0)::int as count
      from hosts where hosts.pool = ${pool} and hosts.state <> 'removed'`,
  );
  return rows.rows[0]?.count ?? 0;
}
