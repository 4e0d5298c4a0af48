import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';
import { isoOrNull } from '../iso.ts';
import { readBusy, type Busy } from './read-busy.ts';
import { readHosts, type HostPage } from './read-hosts.ts';
import { readPools, type PoolPage } from './read-pools.ts';

/** A place where a run may be. */
export interface SlotPage extends Busy {
  id: string;
  pool: string;
  host: string;
  gpu: string | null;
  state: 'free' | 'offered' | 'leased' | 'retired';
  trialId: string | null;
  /** Since when it is leased, or free. */
  since: string | null;
}

export interface FleetPage extends Busy {
  hosts: HostPage[];
  slots: SlotPage[];
  pools: PoolPage[];
  now: string;
}

const NEVER: Busy = { busyHour: null, busyDay: null };

/** Hosts, slots and pools as they are, and how busy they were. */
export async function readFleetPage(db: Tx, { now }: { now: Date }): Promise<FleetPage> {
  const busy = await readBusy(db, { now });
  const { rows } = await db.execute<Omit<SlotPage, keyof Busy> & Record<string, unknown>>(sql`
    select id, pool, host, gpu, state, case when state = 'leased' then trial_id end as "trialId",
      case when state = 'leased' then leased_at else free_since end as since
    from slots where state <> 'retired' order by pool, host, index, id`);
  return {
    hosts: await readHosts(db),
    slots: rows.map((slot) => ({ ...slot, since: isoOrNull(slot.since), ...(busy.get(slot.id) ?? NEVER) })),
    pools: await readPools(db, { now }),
    ...(busy.get(null) ?? NEVER),
    now: now.toISOString(),
  };
}
