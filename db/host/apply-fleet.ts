import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Fleet, FleetHost, FleetPool } from '../../domain/fleet/fleet.ts';
import type { Db, Tx } from '../connect.ts';
import { hosts } from '../schema.ts';
import { type HostRow, QUARANTINE_OVER, notifyWorkers } from './fleet.ts';
import { quarantineOf, reportHostBack } from './quarantine.ts';
import { retireSlots } from '../slot/slots.ts';

/** Names of hosts by the effect of applying a fleet on them. */
export interface Applied {
  added: string[];
  changed: string[];
  removed: string[];
  unchanged: string[];
}

/**
 * Refusal of a fleet that would change the user, folder or machine of a host with runs, which could not be found then.
 */
export class FleetInUseError extends Error {
  override readonly name = 'FleetInUseError';
}

type HostKey = 'user' | 'scratch' | 'address' | 'port' | 'jump';
/** Keys that determine where a host's run directories are. */
const DIRECTORY_KEYS: readonly HostKey[] = ['user', 'scratch'];
/** Keys that determine how a host is reached; another address may lead to the same machine. */
const ADDRESS_KEYS: readonly HostKey[] = ['address', 'port', 'jump'];
/** Machine found at a host's new address: `same` has its runs, `other` has none of them, `none` did not answer. */
export type MovedHostMatch = 'same' | 'other' | 'none';
const MATCH_TEXTS = {
  same: 'has these runs',
  other: 'has none of these runs',
  none: 'could not be checked',
  unasked: 'was not checked: these runs began during the apply. Apply again',
} as const;
/** Largest number of trials that a message names. */
const NAMED = 5;

/**
 * Makes the database match a fleet.yaml. A host that the file does not name is removed: its runs finish, and nothing
 * new is placed there. A drained host stays drained; a quarantined host is probed now. If a host with runs would change
 * its user, scratch folder or machine, it throws FleetInUseError and changes nothing. `answers`: machines found at new
 * addresses, by host name.
 */
export async function applyFleet(
  db: Db,
  fleet: Fleet,
  { answers = {} }: { answers?: Record<string, MovedHostMatch> } = {},
): Promise<Applied> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`lock table ${hosts} in share row exclusive mode`);
    const before = new Map((await tx.select().from(hosts)).map((row) => [row.name, row]));
    const applied: Applied = { added: [], changed: [], removed: [], unchanged: [] };
    for (const spec of fleet.hosts) {
      await requireUnused(tx, { spec, known: before.get(spec.name), answer: answers[spec.name] });
      const poolSpec = fleet.pools[spec.pool];
      if (!poolSpec) throw new Error(`Expected the fleet to have the pool ${spec.pool} of ${spec.name}`);
      applied[await applyHost(tx, { spec, poolSpec, known: before.get(spec.name) })].push(spec.name);
    }
    const named = fleet.hosts.map(({ name }) => name);
    applied.removed = [...before.values()]
      // A fleet.yaml does not name the GPUs of a worker's own machine.
      .filter(({ name, state, spec }) => state !== 'removed' && !named.includes(name) && spec.own === undefined)
      .map(({ name }) => name);
    if (applied.removed.length > 0)
      await tx
        .update(hosts)
        .set({ state: 'removed', appliedAt: sql`now()` })
        .where(inArray(hosts.name, applied.removed));
    await retireSlots(tx, { hosts: [...applied.changed, ...applied.removed], keep: [] });
    // The person who applies a fleet may have repaired a host that did not change in the file.
    await tx
      .update(hosts)
      .set({ failures: 0, quarantinedUntil: QUARANTINE_OVER, facts: sql`${hosts.facts} || '{"gpusSeen": []}'` })
      .where(inArray(hosts.name, applied.unchanged));
    await notifyWorkers(tx);
    return applied;
  });
}

/** A run that may be under way on a host whose address, port or jump host changes. */
export interface MovedRun {
  jobId: string;
  placement: number;
}

/** Hosts of a fleet whose stored address, port or jump host differs, with their runs that may be under way. */
export async function findMovedHosts(db: Db, fleet: Fleet): Promise<{ spec: FleetHost; runs: MovedRun[] }[]> {
  const before = await db.select().from(hosts);
  const moved = fleet.hosts.filter((spec) =>
    before.some(({ name, spec: known }) => name === spec.name && changedKeys(ADDRESS_KEYS, known, spec).length > 0),
  );
  return Promise.all(
    moved.map(async (spec) => ({ spec, runs: (await db.execute<MovedRun & Row>(openRunsOf(spec.name))).rows })),
  );
}

type Row = Record<string, unknown>;

const openRunsOf = (host: string) =>
  sql`select trial_id as "jobId", placement from runs
    where host = ${host} and ended_at is null order by trial_id, placement`;

function changedKeys(keys: readonly HostKey[], known: FleetHost, spec: FleetHost): HostKey[] {
  const valueOf = (host: FleetHost, key: HostKey) =>
    host[key] ?? { scratch: '~/.perpetua-host', address: host.name, user: null, port: null, jump: null }[key];
  return keys.filter((key) => valueOf(known, key) !== valueOf(spec, key));
}

async function requireUnused(
  tx: Tx,
  { spec, known, answer }: { spec: FleetHost; known: HostRow | undefined; answer: MovedHostMatch | undefined },
): Promise<void> {
  if (known?.spec.own !== undefined)
    throw new FleetInUseError(
      `host ${spec.name}: expected another name; a worker uses this name for its own GPUs. Nothing was applied`,
    );
  const keys = answer === 'same' ? DIRECTORY_KEYS : [...DIRECTORY_KEYS, ...ADDRESS_KEYS];
  const changed = known ? changedKeys(keys, known.spec, spec) : [];
  if (changed.length === 0) return;
  // A worker that turns an offer into a lease waits for this lock, and finds the slot retired then.
  const held = await tx.execute<{ jobId: string }>(
    sql`select trial_id as "jobId" from slots where host = ${spec.name} order by id for update`,
  );
  const open = await tx.execute<MovedRun & Row>(openRunsOf(spec.name));
  const trials = [...new Set([...held.rows, ...open.rows].flatMap(({ jobId }) => jobId ?? []))].sort();
  if (trials.length === 0) return;
  const named = trials.slice(0, NAMED).join(', ') + (trials.length > NAMED ? ', …' : '');
  const match = changed.some((key) => ADDRESS_KEYS.includes(key))
    ? ` The machine at the new address ${MATCH_TEXTS[answer ?? 'unasked']}.`
    : '';
  throw new FleetInUseError(
    `host ${spec.name}: expected no run on it while its ${changed.join(' and ')} changes; ` +
      `${trials.length} of its runs may be under way (${named}) and would be lost.${match} Nothing was applied.\n` +
      `1. Drain the host: npx perpetua fleet drain ${spec.name}\n` +
      '2. Apply again when no run is on it: npx perpetua fleet\n' +
      `3. Let it serve: npx perpetua fleet resume ${spec.name}\n` +
      'If the host is gone for good: remove it from the file, and give the new host another name',
  );
}

async function applyHost(
  tx: Tx,
  { spec, poolSpec, known }: { spec: FleetHost; poolSpec: FleetPool; known: HostRow | undefined },
): Promise<'added' | 'changed' | 'unchanged'> {
  const { name, pool } = spec;
  if (!known) {
    await tx.insert(hosts).values({ name, pool, spec, poolSpec });
    return 'added';
  }
  const before = quarantineOf(tx, name);
  const rows = await tx
    .with(before)
    .update(hosts)
    .set({
      pool,
      spec,
      poolSpec,
      facts: null,
      lookedAt: null,
      seenAt: null,
      quarantinedUntil: null,
      failures: 0,
      state: sql`case when ${hosts.state} = 'removed' then 'serving' else ${hosts.state} end`,
      appliedAt: sql`now()`,
    })
    .from(before)
    .where(
      and(
        eq(hosts.name, name),
        sql`(${hosts.state} = 'removed' or ${hosts.spec} <> ${JSON.stringify(spec)}::jsonb
          or ${hosts.poolSpec} <> ${JSON.stringify(poolSpec)}::jsonb)`,
      ),
    )
    .returning({ wasOut: before.wasOut });
  if (rows[0]?.wasOut) await reportHostBack(tx, name, 'its settings in the fleet changed, and it is probed again');
  return rows.length > 0 ? 'changed' : 'unchanged';
}
