import { eq, sql, type SQL } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { slots } from '../schema.ts';

export interface Slot {
  id: string;
  pool: string;
  host: string;
  index: number;
  gpu: string | null;
  fence: number;
}

export interface Lease extends Slot {
  /** Seconds that the slot was free before this lease. */
  slotWaitSeconds: number;
}

/** Seconds that an unused offer lasts; after them a dead worker's slots can be offered again. */
export const OFFER_SECONDS = 30;
/** NOTIFY channel; the payload is the pool. */
export const SLOTS_CHANNEL = 'perpetua_slots';

const columns = sql.raw(
  'id, pool, host, index, gpu, fence::float8 as fence, ' +
    'extract(epoch from leased_at - free_since)::float8 as "slotWaitSeconds"',
);

/** Lowest index that no slot of a host has, in any pool: the index determines the uid of a slot's runs. */
const freeIndex = (host: string): SQL => sql`(
  select min(i) from generate_series(0, (select count(*)::int from slots where host = ${host})) i
  where not exists (select 1 from slots taken where taken.host = ${host} and taken.index = i))`;

/**
 * Declares the slots of a host. Each has an index that is unique among all slots the host ever had; `index` is a wish.
 * A slot that is no longer wanted is not lent, and retires once it is free. A slot that came back is free again.
 * `keep`: slots that stay as they are.
 */
export async function declareSlots(
  db: Tx,
  slots: Omit<Slot, 'fence'>[],
  { host, keep = [] }: { host: string; keep?: string[] },
): Promise<void> {
  for (const slot of slots)
    await db.execute(sql`
      insert into slots (id, pool, host, index, gpu) values (${slot.id}, ${slot.pool}, ${slot.host},
        case when exists (
          select 1 from slots taken where taken.host = ${slot.host} and taken.index = ${slot.index}::int)
          then ${freeIndex(slot.host)} else ${slot.index}::int end, ${slot.gpu})
      on conflict (id) do update set gpu = excluded.gpu, pool = excluded.pool, wanted = true,
        index = case when slots.state <> 'leased' and exists (
          select 1 from slots twin where twin.host = slots.host and twin.index = slots.index and twin.id <> slots.id)
          then ${freeIndex(slot.host)} else slots.index end,
        state = case when slots.state = 'retired' then 'free' else slots.state end`);
  await retireSlots(db, { hosts: [host], keep: [...slots.map(({ id }) => id), ...keep] });
}

/** Takes the slots of hosts out of service, except those in `keep`; a run on a slot continues to its end. */
export async function retireSlots(db: Tx, { hosts, keep }: { hosts: string[]; keep: string[] }): Promise<void> {
  await db.execute(sql`
    update slots set wanted = false,
      state = case when state = 'leased' then state else 'retired' end,
      holder = null, offered_until = null
    where host = any(${sql.param(hosts)}) and id <> all(${sql.param(keep)})
      and (wanted or state in ('free', 'offered'))`);
}

/**
 * Offers one free slot of the pool; undefined if there is none. An offer that expired counts as free. With `host`, only
 * slots of that machine qualify; else those of serving hosts without quarantine. The GPUs of a worker's own machine are
 * offered only to the workers of that machine (`own`).
 */
export async function offerSlot(
  db: Tx,
  input: { pool: string; host?: string; own?: string; holder: string },
): Promise<string | undefined> {
  const hostQualifies =
    input.host === undefined
      ? sql`exists (select 1 from hosts where hosts.name = slots.host and hosts.state = 'serving'
          and hosts.quarantined_until is null and coalesce(hosts.spec->>'own' = ${input.own ?? ''}, true))`
      : sql`host = ${input.host}`;
  const rows = await db.execute<{ id: string }>(sql`
    update slots set state = 'offered', holder = ${input.holder},
      offered_until = now() + make_interval(secs => ${OFFER_SECONDS})
    where id = (
      select id from slots where pool = ${input.pool} and wanted and ${hostQualifies}
        and (state = 'free' or (state = 'offered' and offered_until < now()))
      order by free_since for update skip locked limit 1)
    returning id`);
  return rows.rows[0]?.id;
}

/** Extends those of the offers that the worker still holds; returns their slots. */
export async function renewOffers(db: Tx, input: { holder: string; slotIds: string[] }): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    update slots set offered_until = now() + make_interval(secs => ${OFFER_SECONDS})
    where state = 'offered' and holder = ${input.holder} and id = any(${sql.param(input.slotIds)}) returning id`);
  return rows.rows.map((row) => row.id);
}

/** Workers that hold offers of a pool's slots. */
export async function findOfferHolders(db: Tx, pool: string): Promise<string[]> {
  const rows = await db.execute<{ holder: string }>(
    sql`select distinct holder from slots where pool = ${pool} and state = 'offered' and holder is not null`,
  );
  return rows.rows.map((row) => row.holder);
}

/** Withdraws every offer of a dead worker. Rows are locked by id, in the same order as in applyFleet. */
export async function withdrawOffers(db: Tx, holder: string): Promise<void> {
  await db.execute(sql`
    with locked as materialized (
      select id from slots where state = 'offered' and holder = ${holder} order by id for update),
    withdrawn as (
      update slots set state = 'free', holder = null, offered_until = null
      where id in (select id from locked) returning pool)
    select pg_notify(${SLOTS_CHANNEL}, pool) from withdrawn`);
}

/** Returns an unused offer. */
export async function returnOffer(db: Tx, input: { slotId: string; holder: string }): Promise<void> {
  await db.execute(sql`
    with returned as (
      update slots set state = 'free', holder = null, offered_until = null
      where id = ${input.slotId} and state = 'offered' and holder = ${input.holder} returning pool)
    select pg_notify(${SLOTS_CHANNEL}, pool) from returned`);
}

/**
 * Turns the worker's offer into a lease for the job, with a higher fence. A job that holds a lease gets the same lease.
 * Undefined if the offer was lost meanwhile or the job has ended.
 */
export async function leaseSlot(
  db: Tx,
  input: { jobId: string; slotId: string | null; holder: string },
): Promise<Lease | undefined> {
  const rows = await db.execute<Lease & Record<string, unknown>>(sql`
    with held as (${leaseOf(input.jobId)}),
    taken as (
      update slots set state = 'leased', trial_id = ${input.jobId}, fence = nextval('slot_fences'),
        leased_at = now(), holder = null, offered_until = null
      where id = ${input.slotId} and state = 'offered' and holder = ${input.holder}
        and not exists (select 1 from held) and wanted
        and not exists (select 1 from hosts where hosts.name = slots.host
          and (hosts.state <> 'serving' or hosts.quarantined_until is not null))
        and exists (select 1 from jobs where jobs.id = ${input.jobId} and jobs.ended_at is null)
      returning ${columns})
    select * from held union all select * from taken`);
  return rows.rows[0];
}

/** Lease that a job holds. */
export async function findLease(db: Tx, jobId: string): Promise<Lease | undefined> {
  return (await db.execute<Lease & Record<string, unknown>>(leaseOf(jobId))).rows[0];
}

const leaseOf = (jobId: string): SQL =>
  sql`select ${columns} from slots where trial_id = ${jobId} and state = 'leased'`;

/**
 * True if a slot that is freed may be lent before the next probe declares it again. A GPU may not if processes of its
 * run may still compute on it. A slot without a GPU always may: no probe checks its processes, and they block no other
 * run.
 */
export const MAY_BE_LENT = sql`(slots.wanted and (slots.gpu is null or not exists (
  select 1 from runs over
  where over.trial_id = slots.trial_id and over.fence = slots.fence and over."end"->>'treeGone' = 'false')))`;

/**
 * Requests probes of the hosts of slots that meet a condition. Call it before the slots change: a probe that began
 * earlier must not declare the slots afterwards.
 */
export async function requestProbesOfHosts(db: Tx, where: SQL): Promise<void> {
  await db.execute(sql`
    update hosts set looked_at = to_timestamp(0), doubts = doubts + 1 from slots
    where slots.host = hosts.name and ${where}`);
}

/** Frees the slot of a lease, and returns true if it did; an older fence frees nothing. */
export async function freeSlot(db: Tx, input: { jobId: string; fence: number }): Promise<boolean> {
  await requestProbesOfHosts(db, sql`slots.trial_id = ${input.jobId} and slots.wanted and not ${MAY_BE_LENT}`);
  const rows = await db.execute(sql`
    with freed as (
      update slots set state = 'free', trial_id = null, free_since = now(), wanted = ${MAY_BE_LENT}
      where trial_id = ${input.jobId} and fence = ${input.fence} and state = 'leased' returning pool)
    select pg_notify(${SLOTS_CHANNEL}, pool) from freed`);
  return rows.rows.length > 0;
}

/** Stops lending a slot until a probe declares it again; a current lease stays. */
export async function retireSlot(db: Tx, id: string): Promise<void> {
  // A probe under way may have read the slot's earlier state.
  await requestProbesOfHosts(db, sql`slots.id = ${id}`);
  await db.update(slots).set({ wanted: false }).where(eq(slots.id, id));
}

/** GPUs of a host with a leased slot. */
export async function findGpusLent(db: Tx, host: string): Promise<string[]> {
  const rows = await db.execute<{ gpu: string }>(
    sql`select distinct gpu from slots where host = ${host} and gpu is not null and state = 'leased'`,
  );
  return rows.rows.flatMap(({ gpu }) => gpu.split(','));
}

/**
 * GPUs that another host lends and this host must not. Both can be the same machine if one is a worker's own and the
 * other is reached by SSH. If both have declared a GPU, the host whose name sorts first keeps it.
 */
export async function findGpusElsewhere(db: Tx, host: string): Promise<string[]> {
  const rows = await db.execute<{ gpu: string }>(sql`
    with lent as (
      select slots.host, unnest(string_to_array(slots.gpu, ',')) as gpu, hosts.spec ? 'own' as own
      from slots join hosts on hosts.name = slots.host where slots.wanted and slots.gpu is not null)
    select distinct gpu from lent
    where host <> ${host} and (own or exists (select 1 from hosts where name = ${host} and spec ? 'own'))
      and not exists (
        select 1 from lent mine where mine.host = ${host} and mine.gpu = lent.gpu and mine.host < lent.host)`);
  return rows.rows.map(({ gpu }) => gpu);
}

/** Slots of a pool that a worker or a probe has found, the workers' own included. */
export async function countKnownSlots(db: Tx, pool: string): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from slots where pool = ${pool} and wanted`,
  );
  return rows[0]?.count ?? 0;
}

/** Slots that a pool can lend now or later. A host without slots to lend (perhaps not yet probed) counts as one. */
export async function countSlots(db: Tx, pool: string): Promise<number> {
  const rows = await db.execute<{ count: number }>(
    sql`select coalesce(sum(greatest(1, (
        select count(*) from slots
        where slots.host = hosts.name and slots.pool = hosts.pool and slots.wanted))), 0)::int as count
      from hosts where hosts.pool = ${pool} and hosts.state <> 'removed'`,
  );
  return rows.rows[0]?.count ?? 0;
}
