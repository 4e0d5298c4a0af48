import { and, eq, ne, sql } from 'drizzle-orm';
import { ownGpuHost, OWN_POOL, type GpuHome } from '../../domain/fleet/own-gpus.ts';
import type { Db, Tx } from '../connect.ts';
import { hosts } from '../schema.ts';
import { retireSlots } from '../slot/slots.ts';
import { QUARANTINE_OVER, notifyWorkers } from './fleet.ts';

/** Hosts that are a home's own. */
const ownedBy = (home: string) => sql`${hosts.spec}->>'own' = ${home}`;

/**
 * Makes the GPUs of this machine a host that the next look tries at once; one that was drained stays so. Returns its name. Repeated,
 * it changes nothing.
 */
export async function declareOwnGpus(db: Db, of: GpuHome): Promise<string> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`lock table ${hosts} in share row exclusive mode`);
    const short = ownGpuHost(of, { taken: false });
    const [other] = await tx
      .select({ name: hosts.name })
      .from(hosts)
      .where(and(eq(hosts.name, short.name), sql`${hosts.spec}->>'own' is distinct from ${of.home}`));
    const spec = ownGpuHost(of, { taken: other !== undefined });
    await withdraw(tx, { home: of.home, but: spec.name });
    const { name, pool } = spec;
    await tx
      .insert(hosts)
      .values({ name, pool, spec, poolSpec: OWN_POOL })
      .onConflictDoUpdate({
        target: hosts.name,
        set: {
          ...{ pool, spec, poolSpec: OWN_POOL, lookedAt: null, failures: 0, quarantinedUntil: QUARANTINE_OVER },
          state: sql`case when ${hosts.state} = 'removed' then 'serving' else ${hosts.state} end`,
          appliedAt: sql`now()`,
        },
      });
    await notifyWorkers(tx);
    return name;
  });
}

/** Lends the GPUs of a home's machine no more; what runs there goes on to its end. */
export const withdrawOwnGpus = async (db: Db, home: string): Promise<void> =>
  db.transaction((tx) => withdraw(tx, { home, but: '' }));

async function withdraw(tx: Tx, { home, but }: { home: string; but: string }): Promise<void> {
  const gone = await tx
    .update(hosts)
    .set({ state: 'removed', appliedAt: sql`now()` })
    .where(and(ownedBy(home), ne(hosts.name, but), ne(hosts.state, 'removed')))
    .returning({ name: hosts.name });
  if (gone.length === 0) return;
  await retireSlots(tx, { hosts: gone.map(({ name }) => name), keep: [] });
  await notifyWorkers(tx);
}
