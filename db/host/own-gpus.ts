import { and, eq, ne, sql } from 'drizzle-orm';
import { ownGpuHost, OWN_POOL, type GpuHome } from '../../domain/fleet/own-gpus.ts';
import type { Db, Tx } from '../connect.ts';
import { hosts } from '../schema.ts';
import { retireSlots } from '../slot/slots.ts';
import { QUARANTINE_OVER, notifyWorkers } from './fleet.ts';

/** Hosts that are GPUs of a home's machine. */
const ownedBy = (home: string) => sql`${hosts.spec}->>'own' = ${home}`;

/**
 * Declares the GPUs of this machine as a host, which the next probe tries at once. A drained host stays drained.
 * Returns the host's name. Safe to repeat.
 */
export async function declareOwnGpus(db: Db, gpuHome: GpuHome): Promise<string> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`lock table ${hosts} in share row exclusive mode`);
    const plain = ownGpuHost(gpuHome, { taken: false });
    const [other] = await tx
      .select({ name: hosts.name })
      .from(hosts)
      .where(and(eq(hosts.name, plain.name), sql`${hosts.spec}->>'own' is distinct from ${gpuHome.home}`));
    const spec = ownGpuHost(gpuHome, { taken: other !== undefined });
    await withdraw(tx, { home: gpuHome.home, except: spec.name });
    const { name, pool } = spec;
    await tx
      .insert(hosts)
      .values({ name, pool, spec, poolSpec: OWN_POOL })
      .onConflictDoUpdate({
        target: hosts.name,
        set: {
          pool,
          spec,
          poolSpec: OWN_POOL,
          lookedAt: null,
          failures: 0,
          quarantinedUntil: QUARANTINE_OVER,
          state: sql`case when ${hosts.state} = 'removed' then 'serving' else ${hosts.state} end`,
          appliedAt: sql`now()`,
        },
      });
    await notifyWorkers(tx);
    return name;
  });
}

/** Stops lending the GPUs of a home's machine; runs on them continue to their end. */
export const withdrawOwnGpus = async (db: Db, home: string): Promise<void> =>
  db.transaction((tx) => withdraw(tx, { home, except: '' }));

async function withdraw(tx: Tx, { home, except }: { home: string; except: string }): Promise<void> {
  const removed = await tx
    .update(hosts)
    .set({ state: 'removed', appliedAt: sql`now()` })
    .where(and(ownedBy(home), ne(hosts.name, except), ne(hosts.state, 'removed')))
    .returning({ name: hosts.name });
  if (removed.length === 0) return;
  await retireSlots(tx, { hosts: removed.map(({ name }) => name), keep: [] });
  await notifyWorkers(tx);
}
