import { and, eq, sql } from 'drizzle-orm';
import { type FleetSlot, type LentSlot, type HostFacts, withoutCollidingSlots } from '../../domain/fleet/slots.ts';
import type { Db, Tx } from '../connect.ts';
import { hosts } from '../schema.ts';
import { findOrphans } from '../run/orphans.ts';
import { quarantineOf, reportHostBack } from './quarantine.ts';
import { declareSlots, SLOTS_CHANNEL } from '../slot/slots.ts';

/** Seconds between probes of a host that works. A host that failed is probed when its quarantine ends. */
const PROBE_SECONDS = 30;

/** True if a probe may be claimed. All times are by the database's clock, because workers' clocks differ. */
export const PROBE_DUE = sql<boolean>`(coalesce(${hosts.quarantinedUntil}, '-infinity') < now()
  and (${hosts.lookedAt} is null or coalesce(${hosts.lookedAt} < ${hosts.quarantinedUntil}, false)
    or (${hosts.lookedAt} < now() - make_interval(secs => ${PROBE_SECONDS}))))`;

/** Start of a probe by the database's clock. */
export interface ProbeMark {
  at: string;
  /** Number of failures and requested probes of the host at that time. */
  doubts: number;
}

/** Claims the probe of a host: one worker gets a mark, which `recordGoodProbe` compares; the others get null. */
export async function claimProbe(db: Tx, name: string): Promise<ProbeMark | null> {
  const rows = await db
    .update(hosts)
    .set({ lookedAt: sql`now()` })
    .where(and(eq(hosts.name, name), PROBE_DUE))
    // A Date would lose the microseconds.
    .returning({ at: sql<string>`${hosts.lookedAt}::text`, doubts: hosts.doubts });
  return rows[0] ?? null;
}

/**
 * Stores a successful probe: the host serves these slots and no others. The probe is ignored if the host failed, or a
 * new probe was requested, since the probe began; another probe that began meanwhile does not matter. No slot is
 * declared while the host has orphans, and none that would share a GPU or the host with an old lease: the next probe
 * tries again.
 */
export async function recordGoodProbe(
  db: Db,
  input: {
    /** The row as it was when the probe began. */
    host: Pick<typeof hosts.$inferSelect, 'name' | 'pool' | 'spec' | 'poolSpec'>;
    facts: HostFacts;
    slots: FleetSlot[];
    note: string | null;
    /** Mark from `claimProbe`; absent: the probe counts even if the host failed since. */
    mark?: ProbeMark;
    /** Start of the absence that left run directories to be removed; default: none are left. */
    leftSince?: Date | null;
  },
): Promise<void> {
  const { facts, slots, note, mark, leftSince = null } = input;
  const { name, pool, spec, poolSpec } = input.host;
  await db.transaction(async (tx) => {
    const before = quarantineOf(tx, name);
    const [row] = await tx
      .with(before)
      .update(hosts)
      .set({ facts: withSeenGpus(facts), note, leftSince, quarantinedUntil: null, seenAt: sql`now()` })
      .from(before)
      .where(
        and(
          eq(hosts.name, name),
          sql`${hosts.spec} = ${JSON.stringify(spec)}::jsonb`,
          sql`${hosts.poolSpec} = ${JSON.stringify(poolSpec)}::jsonb`,
          sql`(${hosts.lastErrorAt} is null or ${hosts.lookedAt} is null or ${hosts.lastErrorAt} < ${hosts.lookedAt})`,
          mark && eq(hosts.doubts, mark.doubts),
          mark && hasNoOldRequest(mark),
        ),
      )
      .returning({ state: hosts.state, wasOut: before.wasOut });
    if (row?.wasOut) await reportHostBack(tx, name, 'a probe of it succeeded');
    if (!row || row.state === 'removed' || (await findOrphans(tx, name)).length > 0) return;
    const ids = new Set(slots.map(({ key }) => `${name}/${pool}/${key}`));
    const held = (await findHeld(tx, name)).filter(({ id }) => !ids.has(id));
    await declareSlots(
      tx,
      withoutCollidingSlots({ pool, slots, held }).map(({ key, index, gpu }) => ({
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

/** False if a worker of an older version requested a probe: it sets `looked_at` back without a change of `doubts`. */
const hasNoOldRequest = ({ at }: ProbeMark) => sql`${hosts.lookedAt} >= ${at}::timestamptz`;

/**
 * Facts of a probe for the database. Of the GPUs that earlier probes saw, only those still in the row are kept: a fleet
 * that was applied meanwhile has cleared them.
 */
function withSeenGpus(facts: HostFacts) {
  const { gpus, gpusSeen } = facts;
  if (!gpusSeen) return facts;
  const found = JSON.stringify(gpus.map(({ uuid }) => uuid));
  return sql`${JSON.stringify(facts)}::jsonb || jsonb_build_object('gpusSeen', (
    select coalesce(jsonb_agg(uuid order by place), '[]')
    from jsonb_array_elements_text(${JSON.stringify(gpusSeen)}::jsonb) with ordinality as seen (uuid, place)
    where ${found}::jsonb ? uuid
      or coalesce(${hosts.facts}->'gpusSeen', jsonb_path_query_array(${hosts.facts}, '$.gpus[*].uuid')) ? uuid))`;
}

/** Columns of a requested probe: the host is due at once, and no probe that began earlier counts. */
export const PROBE_REQUESTED = { lookedAt: sql`to_timestamp(0)`, doubts: sql`${hosts.doubts} + 1` };

/** Requests a probe after a loss on a host: the next round probes it, and a probe that began earlier is void. */
export async function requestProbe(db: Tx, name: string): Promise<void> {
  await db.update(hosts).set(PROBE_REQUESTED).where(eq(hosts.name, name));
}

/** Leased slots of a host. */
async function findHeld(tx: Tx, host: string): Promise<LentSlot[]> {
  const rows = await tx.execute<LentSlot & Record<string, unknown>>(
    sql`select id, pool, gpu from slots where host = ${host} and state = 'leased'`,
  );
  return rows.rows;
}
