import { hostname } from 'node:os';
import type { SlotReserveContext } from '@temporalio/worker';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { holderName } from '../../../workers/holder.ts';
import { createPermits, type Permits } from '../../../workers/queues/permits.ts';
import { insertSlots, insertTrials, useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const context = {} as SlotReserveContext;

/** A worker that serves the pool's slots. */
function permitsFor(pool: string, holder: string): Permits {
  const onError = (error: unknown): never => {
    throw error;
  };
  return createPermits({ store: bench.store, pool, host: pool, holder, onError, offered: () => undefined });
}

const reserve = (permits: Permits, signal = new AbortController().signal) =>
  permits.supplier.reserveSlot(context, signal);
const release = (permits: Permits): void => permits.supplier.releaseSlot({} as never);
const stateOf = async (pool: string): Promise<string[]> =>
  (
    await bench.db.execute<{ state: string }>(sql`select state from slots where pool = ${pool} order by state`)
  ).rows.map(({ state }) => state);
const eventually = (pool: string, states: string[]) => expect.poll(() => stateOf(pool)).toEqual(states);

describe('a permit', () => {
  test('is one offer of a slot, and there are no more permits than slots', async () => {
    await insertSlots(bench.db, 'few', 2);
    const [a, b] = [permitsFor('few', 'a'), permitsFor('few', 'b')];
    await Promise.all([reserve(a), reserve(b)]);
    const stop = new AbortController();
    const third = reserve(a, stop.signal);
    await expect(Promise.race([third, Promise.resolve('waits')])).resolves.toBe('waits');
    stop.abort();
    await expect(third).rejects.toBe(stop.signal.reason);
    expect(await stateOf('few')).toEqual(['offered', 'offered']);
    await Promise.all([a.close(), b.close()]);
    expect(await stateOf('few')).toEqual(['free', 'free']);
  });

  test('goes back unused unless a launch took its offer', async () => {
    await insertTrials(bench.db, 'used', 1);
    await insertSlots(bench.db, 'used', 2);
    const permits = permitsFor('used', 'w');
    await reserve(permits);
    await reserve(permits);
    const taken = permits.takeOffer();
    const lease = await bench.store.slot.leaseSlot({ jobId: 'used/1', slotId: taken?.slotId ?? '', holder: 'w' });
    expect(lease?.id).toBe(taken?.slotId);
    release(permits);
    expect(await stateOf('used')).toEqual(['leased', 'offered']);
    release(permits);
    await eventually('used', ['free', 'leased']);
    expect(permits.takeOffer()).toBeNull();
    await permits.close();
  });

  test('is only for a slot that is wanted: one leased before their number was lowered is not lent again', async () => {
    const lowered = { pool: 'lowered', host: 'lowered', holder: 'other' };
    await insertTrials(bench.db, 'lowered', 1);
    await insertSlots(bench.db, 'lowered', 2);
    for (const holder of ['before', 'before'])
      await bench.store.slot.offerSlot({ pool: 'lowered', host: 'lowered', holder });
    const lease = await bench.store.slot.leaseSlot({ jobId: 'lowered/1', slotId: 'lowered/1', holder: 'before' });
    await bench.store.slot.returnOffer({ slotId: 'lowered/0', holder: 'before' });
    await insertSlots(bench.db, 'lowered', 1);
    const permits = permitsFor('lowered', 'w');
    await reserve(permits);
    await bench.store.slot.freeSlot({ jobId: 'lowered/1', fence: lease?.fence ?? 0 });
    expect(await stateOf('lowered')).toEqual(['free', 'offered']);
    const stop = new AbortController();
    const second = reserve(permits, stop.signal);
    permits.wake();
    stop.abort();
    await expect(second).rejects.toBe(stop.signal.reason);
    expect(await bench.store.slot.offerSlot(lowered)).toBeUndefined();
    await permits.close();
  });

  test('is not handed out once the worker closes', async () => {
    await insertSlots(bench.db, 'closed', 1);
    const permits = permitsFor('closed', 'w');
    await permits.close();
    await expect(reserve(permits)).rejects.toThrow('stopped waiting');
    expect(await stateOf('closed')).toEqual(['free']);
  });
});

describe('offers of a worker process that died on this host', () => {
  test('are withdrawn by the next worker at once; those of a living one and of another host stay', async () => {
    await insertSlots(bench.db, 'dead', 3);
    const dead = `${hostname()} ${process.pid} another-start`;
    const far = `far-away ${process.pid} another-start`;
    for (const holder of [dead, holderName(), far])
      await bench.store.slot.offerSlot({ pool: 'dead', host: 'dead', holder });
    const permits = permitsFor('dead', 'next');
    await eventually('dead', ['free', 'offered', 'offered']);
    expect((await bench.store.slot.findOfferHolders('dead')).sort()).toEqual([far, holderName()].sort());
    await permits.close();
  });
});
