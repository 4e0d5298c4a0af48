import { and, eq, sql } from 'drizzle-orm';
import { type FleetSlot, type LentSlot, type HostFacts, withoutCollidingSlots } from '../../domain/fleet/slots.ts';
import type { Db, Tx } from '../connect.ts';
import { hosts } from '../schema.ts';
import { findOrphans } from '../run/orphans.ts';
import { quarantineOf, reportHostBack } from './quarantine.ts';
import { declareSlots, SLOTS_CHANNEL } from '../slot/slots.ts';

/** A host that does well is looked at this often; one that failed, when its quarantine is over. */
const LOOK_SECONDS = 30;

/** A look may be claimed: by the clock of the database, which set all of its times; those of workers differ. */
export const PROBE_DUE = sql<boolean>`(coalesce(${hosts.quarantinedUntil}, '-infinity') < now()
  and (${hosts.lookedAt} is null or coalesce(${hosts.lookedAt} < ${hosts.quarantinedUntil}, false)
    or (${hosts.lookedAt} < now() - make_interval(secs => ${LOOK_SECONDS}))))`;

/** When a look began, by the clock of the database, and what had been doubted by then. */
export interface ProbeMark {
  at: string;
  doubts: number;
}

/** For the one worker that shall look at this host now a mark of its look, which `recordGoodProbe` asks for; null for the others. */
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
 * A look went well: the host serves these slots, and no others. Not where it failed, or was doubted, since the look began
 * (another look that began meanwhile is neither), nor beside what is left there of trials that went on elsewhere, or holds
 * what a slot needs: the next look tells.
 */
export async function recordGoodProbe(
  db: Db,
  input: {
    /** As they were when the look began. */
    host: Pick<typeof hosts.$inferSelect, 'name' | 'pool' | 'spec' | 'poolSpec'>;
    facts: HostFacts;
    slots: FleetSlot[];
    note: string | null;
    /** The mark that `claimProbe` gave for it; default: that of the last look. */
    mark?: ProbeMark;
    /** Since when run directories were left there that are still to be removed; default: none are. */
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
      .set({ facts: withSeen(facts), note, leftSince, quarantinedUntil: null, seenAt: sql`now()` })
      .from(before)
      .where(
        and(
          eq(hosts.name, name),
          sql`${hosts.spec} = ${JSON.stringify(spec)}::jsonb and ${hosts.poolSpec} = ${JSON.stringify(poolSpec)}::jsonb`,
          sql`(${hosts.lastErrorAt} is null or ${hosts.lookedAt} is null or ${hosts.lastErrorAt} < ${hosts.lookedAt})`,
          ...(mark ? [eq(hosts.doubts, mark.doubts), asOldWorkersDoubt(mark)] : []),
        ),
      )
      .returning({ state: hosts.state, wasOut: before.wasOut });
    if (row?.wasOut) await reportHostBack(tx, name, 'a look at it went well');
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

/** They date the look back, and count nothing. */
const asOldWorkersDoubt = ({ at }: ProbeMark) => sql`${hosts.lookedAt} >= ${at}::timestamptz`;

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

/** A doubt makes the host due at once, and no look that began earlier counts. */
export const DOUBTED = { lookedAt: sql`to_timestamp(0)`, doubts: sql`${hosts.doubts} + 1` };

/** Something was lost on a host: it is looked at in the next round, and a look that began earlier tells nothing. */
export async function doubtHost(db: Tx, name: string): Promise<void> {
  await db.update(hosts).set(DOUBTED).where(eq(hosts.name, name));
}

/** Slots of a host that are lent. */
async function findHeld(tx: Tx, host: string): Promise<LentSlot[]> {
  const rows = await tx.execute<LentSlot & Record<string, unknown>>(
    sql`select id, pool, gpu from slots where host = ${host} and state = 'leased'`,
  );
  return rows.rows;
}
