import { and, eq, getTableColumns, gt, inArray, not, sql } from 'drizzle-orm';
import {
  QUARANTINE_FIRST_SECONDS,
  QUARANTINE_RESET_SECONDS,
  QUARANTINE_LONGEST_SECONDS,
} from '../../domain/fleet/failure-limit.ts';
import type { Db, Tx } from '../connect.ts';
import { hosts } from '../schema.ts';
import { insertEvents } from '../event/insert-events.ts';
import { DOUBTED, PROBE_DUE } from './host-probes.ts';
import { hasOrphans } from '../run/orphans.ts';
import { SLOTS_CHANNEL } from '../slot/slots.ts';

/** NOTIFY channel: a fleet was applied, a host drained or resumed. */
export const FLEET_CHANNEL = 'perpetua_fleet';

export type HostRow = typeof hosts.$inferSelect;

/** Workers look at the fleet anew. */
export const notifyWorkers = async (tx: Tx): Promise<void> =>
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
    await notifyWorkers(tx);
    await tx.execute(
      sql`select pg_notify(${SLOTS_CHANNEL}, pool) from hosts where name = any(${sql.param(input.names)})`,
    );
    return rows.map(({ name }) => name);
  });
}

/** A host, and whether it may be time to look at it. */
export type KnownHost = HostRow & { due: boolean };

/**
 * How long a host that was taken out is still awaited for what it may run, where nothing there is followed any more: since it
 * was taken out, since a look at it went well, or since the last of its slots was given back.
 */
const AWAITED = sql`interval '1 day'`;

/** A host that is in the fleet, or was and is still needed by who holds a slot of it, or not long ago had something to end. */
export const IS_RELEVANT = sql<boolean>`(${hosts.state} <> 'removed'
  or exists (select 1 from slots where slots.host = ${hosts.name} and slots.state = 'leased')
  or (exists (select 1 from runs where runs.host = ${hosts.name} and runs.ended_at is null)
    and greatest(${hosts.seenAt}, ${hosts.appliedAt},
      (select max(slots.free_since) from slots where slots.host = ${hosts.name})) > now() - ${AWAITED}))`;

/** Every host that is in the fleet, or was and is still of interest. */
export async function findHosts(db: Tx): Promise<KnownHost[]> {
  return db
    .select({
      ...getTableColumns(hosts),
      // One that was removed is of interest only while it fails, or has something to end.
      due: sql<boolean>`${PROBE_DUE} and (${hosts.state} <> 'removed' or ${hosts.quarantinedUntil} is not null
        or ${hosts.lookedAt} is null or ${hasOrphans(sql`${hosts.name}`)})`,
    })
    .from(hosts)
    .where(IS_RELEVANT)
    .orderBy(hosts.name);
}

/** Whether a host has left the fleet, and is of no interest any more; a host that never was in it is another machine's own. */
export async function isForgotten(db: Tx, name: string): Promise<boolean> {
  return (await db.$count(hosts, and(eq(hosts.name, name), not(IS_RELEVANT)))) > 0;
}

/** Notes that nothing is left on a host to be removed. */
export async function noteLeftoversRemoved(db: Db, name: string): Promise<void> {
  await db.update(hosts).set({ leftSince: null }).where(eq(hosts.name, name));
}

/**
 * A host failed: nothing is placed there for a while that grows with each failure in a row; failures within one such
 * while are one.
 */
export async function noteHostFailure(db: Db, input: { name: string; message: string }): Promise<void> {
  const { name } = input;
  const message = input.message.slice(0, 2000);
  await db.transaction(async (tx) => {
    const before = sql`case when last_error_at < now() - make_interval(secs => ${QUARANTINE_RESET_SECONDS}) then 0 else failures end`;
    // One statement: whoever applies a fleet locks the table first, and would wait for a row that waits for the table.
    const { rows } = await tx.execute<{ wasOut: boolean }>(sql`
      with found as (select quarantined_until is not null as was_out from hosts where name = ${name} for no key update)
      update hosts set last_error = ${message}, last_error_at = now(), doubts = doubts + 1,
        failures = case when quarantined_until > now() then failures else ${before} + 1 end,
        quarantined_until = case when quarantined_until > now() then quarantined_until
          else now() + make_interval(secs => least(${QUARANTINE_LONGEST_SECONDS}, ${QUARANTINE_FIRST_SECONDS} * 2 ^ least(${before}, 16))) end
      from found where name = ${name} returning found.was_out as "wasOut"`);
    if (rows[0]?.wasOut === false)
      await insertEvents(tx, [{ kind: 'host-out', researchId: null, data: { host: name, why: message } }]);
    await withdrawOffersOn(tx, [name]);
  });
}

/**
 * A run was lost on a host that answers: it is looked at in the next round, and where no run has come to its end there since the
 * one before was lost, or it failed, that is a failure.
 */
export async function noteLostRun(db: Db, input: { name: string; message: string }): Promise<void> {
  const { name, message } = input;
  const first = await db
    .update(hosts)
    .set({
      ...{ failures: sql`greatest(failures, 1)`, ...DOUBTED },
      // The error that keeps it in quarantine is told until that is over.
      lastError: sql`case when quarantined_until > now() then last_error else ${message.slice(0, 2000)} end`,
      lastErrorAt: sql`case when quarantined_until > now() then last_error_at else now() end`,
    })
    .where(and(eq(hosts.name, name), sql`(failures = 0 or quarantined_until > now())`))
    .returning({ name: hosts.name });
  if (first.length > 0) return;
  await noteHostFailure(db, input);
}

/** A run came to its end on a host: whatever fails there next is the first of its row. */
export async function noteHostSuccess(db: Tx, name: string): Promise<void> {
  await db
    .update(hosts)
    .set({ failures: 0 })
    .where(and(eq(hosts.name, name), gt(hosts.failures, 0)));
}

/** Notes on a host that works something for people, until the next look says something else. */
export async function noteOnHost(db: Tx, { name, note }: { name: string; note: string }): Promise<void> {
  await db
    .update(hosts)
    .set({ note: note.slice(0, 2000) })
    .where(eq(hosts.name, name));
}

/** Hosts of a pool that serve. */
export async function countServing(db: Tx, pool: string): Promise<number> {
  return db.$count(hosts, and(eq(hosts.pool, pool), eq(hosts.state, 'serving')));
}

/** Offers on these hosts are taken back: their holders would only find out that nothing may be placed. */
const withdrawOffersOn = async (tx: Tx, names: string[]): Promise<void> =>
  void (await tx.execute(sql`
    with locked as materialized (
      select id from slots where host = any(${sql.param(names)}) and state = 'offered' order by id for update)
    update slots set state = 'free', holder = null, offered_until = null where id in (select id from locked)`));

/**
 * Seconds since a host was last in contact: with a look of any worker, or with the caller, who heard of it, or began, that
 * many seconds ago: after a night off everybody was silent. Undefined for a host that was never in the fleet.
 */
export async function secondsSinceContact(
  db: Tx,
  { name, heardSecondsAgo }: { name: string; heardSecondsAgo: number },
): Promise<number | undefined> {
  const rows = await db.execute<{ seconds: number }>(sql`
    select extract(epoch from now() - greatest(coalesce(seen_at, applied_at), now() - make_interval(secs => ${heardSecondsAgo})))::float8 as seconds
    from hosts where name = ${name}`);
  return rows.rows[0]?.seconds;
}

/** Pools of all hosts that were ever applied. A database that is not migrated yet may know of no hosts: it has none. */
export async function findPools(db: Tx): Promise<string[]> {
  const { rows } = await db.execute(sql`select 1 where to_regclass('hosts') is not null`);
  if (rows.length === 0) return [];
  const found = await db.execute<{ pool: string }>(sql`select distinct pool from hosts order by pool`);
  return found.rows.map(({ pool }) => pool);
}
