import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/connect.ts';
import { insertRows } from './insert-rows.ts';
import { GPU, sha256, type SeededResearch } from './rows.ts';

/** GPUs of a host; each is a slot. */
const GPUS = 4;

/** Slots on hosts that are new to the database: `gpu-1`, `gpu-2`, … */
export async function newSlots(db: Db, count: number): Promise<SeededResearch['slots']> {
  const { rows } = await db.execute<{ hosts: number }>(sql`select count(*)::int as hosts from hosts`);
  const before = rows[0]?.hosts ?? 0;
  return Array.from({ length: count }, (_, index) => {
    const host = `gpu-${before + 1 + Math.floor(index / GPUS)}`;
    const gpu = `GPU-${uuidOf(`${host} ${index % GPUS}`)}`;
    return { id: `${host}/${gpu}`, host, gpu };
  });
}

function uuidOf(text: string): string {
  const hash = sha256(text);
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)].join('-');
}

/** Inserts the hosts of a pool of GPUs, last seen a few seconds ago. */
export async function insertHosts(db: Db, { slots, pool }: SeededResearch, now: Date): Promise<void> {
  const seen = new Date(now.getTime() - 4000).toISOString();
  const names = [...new Set(slots.map(({ host }) => host))];
  const rows = names.map((name) => {
    const gpus = slots.filter(({ host }) => host === name).map(({ gpu }, index) => ({ index, uuid: gpu, ...GPU }));
    return {
      name,
      pool,
      pool_spec: { slots: 'gpu', env: {} },
      facts: { cores: 32, memoryMb: 262_144, gpus },
      spec: { name, pool, hostKey: 'strict', gpus: 'auto', env: {}, labels: ['h100'] },
      looked_at: seen,
      seen_at: seen,
    };
  });
  await insertRows(db, 'hosts', rows);
}

/** Inserts the slots; those with a running trial are leased. */
export async function insertSlots(db: Db, { slots, pool, id, from }: SeededResearch, now: Date): Promise<void> {
  const rows = slots.map(({ id: slotId, host, gpu }, index) => ({
    id: slotId,
    pool,
    host,
    index: index % GPUS,
    gpu,
    free_since: now.toISOString(),
    created_at: new Date(from).toISOString(),
  }));
  await insertRows(db, 'slots', rows);
  await db.execute(sql`
    update slots set state = 'leased', trial_id = runs.trial_id, fence = runs.fence, leased_at = runs.launched_at
    from runs join trials on trials.id = runs.trial_id
    where runs.slot_id = slots.id and runs.ended_at is null and trials.research_id = ${id} and trials.status is null`);
}
