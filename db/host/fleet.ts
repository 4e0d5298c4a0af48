import { and, eq, getTableColumns, gt, inArray, not, sql } from 'drizzle-orm';
import {
  QUARANTINE_FIRST_SECONDS,
  QUARANTINE_RESET_SECONDS,
  QUARANTINE_LONGEST_SECONDS,
} from '../../domain/fleet/failure-limit.ts';
import type { Db, Tx } from '../connect.ts';
import { hosts } from '../schema.ts';
import { insertEvents } from '../event/insert-events.ts';
import { PROBE_REQUESTED, PROBE_DUE } from './host-probes.ts';
import { hasOrphans } from '../run/orphans.ts';
import { SLOTS_CHANNEL } from '../slot/slots.ts';

/** NOTIFY channel, used when a fleet was applied and when a host was drained or resumed. */
export const FLEET_CHANNEL = 'perpetua_fleet';

export type HostRow = typeof hosts.$inferSelect;

/** Makes workers read the fleet again. */
export const notifyWorkers = async (tx: Tx): Promise<void> =>
  void (await tx.execute(sql`select pg_notify(${FLEET_CHANNEL}, '')`));

/** End of a quarantine that a person lifts: now if it is still in the future. The next probe then tries the host. */
export const QUARANTINE_OVER = sql`case when ${hosts.quarantinedUntil} > now() then now()
  else ${hosts.quarantinedUntil} end`;

/**
 * Drains hosts (their runs finish, nothing new is placed), or resumes them and ends their quarantine. Returns the hosts
 * that changed.
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

/** A host; `due` is true if it may be time to probe it. */
export type KnownHost = HostRow & { due: boolean };

/**
 * Time for which a removed host with unfinished runs but no lease stays relevant. It starts with the removal, the last
 * successful probe or the last release of a slot, whichever is latest.
 */
const AWAITED = sql`interval '1 day'`;

/** True for a host in the fleet, and for a removed host with a leased slot or with unfinished runs of the last day. */
export const IS_RELEVANT = sql<boolean>`(${hosts.state} <> 'removed'
  or exists (select 1 from slots where slots.host = ${hosts.name} and slots.state = 'leased')
  or (exists (select 1 from runs where runs.host = ${hosts.name} and runs.ended_at is null)
    and greatest(${hosts.seenAt}, ${hosts.appliedAt},
      (select max(slots.free_since) from slots where slots.host = ${hosts.name})) > now() - ${AWAITED}))`;

/** Every relevant host. */
export async function findHosts(db: Tx): Promise<KnownHost[]> {
  return db
    .select({
      ...getTableColumns(hosts),
      // A removed host is probed only to recover from a failure or to end orphans.
      due: sql<boolean>`${PROBE_DUE} and (${hosts.state} <> 'removed' or ${hosts.quarantinedUntil} is not null
        or ${hosts.lookedAt} is null or ${hasOrphans(sql`${hosts.name}`)})`,
    })
    .from(hosts)
    .where(IS_RELEVANT)
    .orderBy(hosts.name);
}

/**
 * True if a host has left the fleet and is no longer relevant. A name that was never in the fleet is not forgotten: it
 * belongs to a worker's own machine.
 */
export async function isForgotten(db: Tx, name: string): Promise<boolean> {
  return (await db.$count(hosts, and(eq(hosts.name, name), not(IS_RELEVANT)))) > 0;
}

/** Stores that a host has no leftovers. */
export async function noteLeftoversRemoved(db: Db, name: string): Promise<void> {
  await db.update(hosts).set({ leftSince: null }).where(eq(hosts.name, name));
}

/**
 * Stores a host failure and starts a quarantine, which doubles with each consecutive failure. Failures during a
 * quarantine count as one.
 */
export async function noteHostFailure(db: Db, input: { name: string; message: string }): Promise<void> {
  const { name } = input;
  const message = input.message.slice(0, 2000);
  await db.transaction(async (tx) => {
    const before = sql`case
      when last_error_at < now() - make_interval(secs => ${QUARANTINE_RESET_SECONDS}) then 0 else failures end`;
    // One statement locks table and row together. applyFleet locks the table first: it would deadlock with a
    // transaction that locks a row first.
    const { rows } = await tx.execute<{ wasOut: boolean }>(sql`
      with found as (select quarantined_until is not null as was_out from hosts where name = ${name} for no key update)
      update hosts set last_error = ${message}, last_error_at = now(), doubts = doubts + 1,
        failures = case when quarantined_until > now() then failures else ${before} + 1 end,
        quarantined_until = case when quarantined_until > now() then quarantined_until
          else now() + make_interval(secs =>
            least(${QUARANTINE_LONGEST_SECONDS}, ${QUARANTINE_FIRST_SECONDS} * 2 ^ least(${before}, 16))) end
      from found where name = ${name} returning found.was_out as "wasOut"`);
    if (rows[0]?.wasOut === false)
      await insertEvents(tx, [{ kind: 'host-out', researchId: null, data: { host: name, why: message } }]);
    await withdrawOffersOn(tx, [name]);
  });
}

/**
 * Stores the loss of a run on a host that answers. The host is probed in the next round. If no run has ended there
 * since the last loss or failure, this loss is a host failure.
 */
export async function noteLostRun(db: Db, input: { name: string; message: string }): Promise<void> {
  const { name, message } = input;
  const first = await db
    .update(hosts)
    .set({
      failures: sql`greatest(failures, 1)`,
      ...PROBE_REQUESTED,
      // During a quarantine, the error that caused it stays.
      lastError: sql`case when quarantined_until > now() then last_error else ${message.slice(0, 2000)} end`,
      lastErrorAt: sql`case when quarantined_until > now() then last_error_at else now() end`,
    })
    .where(and(eq(hosts.name, name), sql`(failures = 0 or quarantined_until > now())`))
    .returning({ name: hosts.name });
  if (first.length > 0) return;
  await noteHostFailure(db, input);
}

/** Stores that a run ended on a host: the host's next failure counts as the first one. */
export async function noteHostSuccess(db: Tx, name: string): Promise<void> {
  await db
    .update(hosts)
    .set({ failures: 0 })
    .where(and(eq(hosts.name, name), gt(hosts.failures, 0)));
}

/** Stores a message for people about a host that works; the next probe replaces it. */
export async function noteOnHost(db: Tx, { name, note }: { name: string; note: string }): Promise<void> {
  await db
    .update(hosts)
    .set({ note: note.slice(0, 2000) })
    .where(eq(hosts.name, name));
}

/** Number of serving hosts in a pool. */
export async function countServing(db: Tx, pool: string): Promise<number> {
  return db.$count(hosts, and(eq(hosts.pool, pool), eq(hosts.state, 'serving')));
}

/** Withdraws offers on these hosts, since none of them could become a lease. */
const withdrawOffersOn = async (tx: Tx, names: string[]): Promise<void> =>
  void (await tx.execute(sql`
    with locked as materialized (
      select id from slots where host = any(${sql.param(names)}) and state = 'offered' order by id for update)
    update slots set state = 'free', holder = null, offered_until = null where id in (select id from locked)`));

/**
 * Seconds since a host's last contact: a successful probe by any worker, or an answer to the caller
 * `secondsSinceAnswer` ago. A caller without an answer passes its uptime, so that no host seems silent after an outage
 * of all workers. Undefined for a host that was never in the fleet.
 */
export async function secondsSinceContact(
  db: Tx,
  { name, secondsSinceAnswer }: { name: string; secondsSinceAnswer: number },
): Promise<number | undefined> {
  const rows = await db.execute<{ seconds: number }>(sql`
    select extract(epoch from now() - greatest(
        coalesce(seen_at, applied_at), now() - make_interval(secs => ${secondsSinceAnswer})))::float8 as seconds
    from hosts where name = ${name}`);
  return rows.rows[0]?.seconds;
}

/** Pools of all hosts that were ever applied; none if the database is not migrated yet and has no table of hosts. */
export async function findPools(db: Tx): Promise<string[]> {
  const { rows } = await db.execute(sql`select 1 where to_regclass('hosts') is not null`);
  if (rows.length === 0) return [];
  const found = await db.execute<{ pool: string }>(sql`select distinct pool from hosts order by pool`);
  return found.rows.map(({ pool }) => pool);
}
