import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { insertSlots, insertTrials, useDatabase } from '../support.ts';

const bench = useDatabase();

/** Lets the offers of a worker lapse, as if it had died a while ago. */
const lapse = (holder: string) =>
  bench.db.execute(sql`update slots set offered_until = now() - interval '1 second' where holder = ${holder}`);

const statesOf = async (pool: string) =>
  (await bench.db.execute(sql`select state, holder, trial_id from slots where pool = ${pool} order by index`)).rows;

describe('offers', () => {
  test('to several connections at once are never two for one slot', async () => {
    await insertSlots(bench.db, 'rush', 4);
    const stores = Array.from({ length: 8 }, () => bench.another());
    const offers = await Promise.all(
      stores.flatMap((store, index) =>
        [1, 2].map(() => store.slot.offerSlot({ pool: 'rush', host: 'rush', holder: `w${index}` })),
      ),
    );
    const given = offers.filter((id) => id !== undefined);
    // A query skips rows that another one locks, so a slot may be left, which the next query offers.
    expect(new Set(given).size).toBe(given.length);
    while (given.length < 4) {
      const id = await bench.store.slot.offerSlot({ pool: 'rush', host: 'rush', holder: 'late' });
      expect(id).toBeDefined();
      expect(given).not.toContain(id);
      given.push(id ?? '');
    }
    expect(await bench.store.slot.offerSlot({ pool: 'rush', host: 'rush', holder: 'late' })).toBeUndefined();
  });

  test('to a dead worker lapse: the slot is offered again, and the dead worker cannot lease it', async () => {
    await insertTrials(bench.db, 'lapse', 1);
    await insertSlots(bench.db, 'lapse', 1);
    const slotId = await bench.store.slot.offerSlot({ pool: 'lapse', host: 'lapse', holder: 'dead' });
    expect(await bench.store.slot.offerSlot({ pool: 'lapse', host: 'lapse', holder: 'alive' })).toBeUndefined();
    await lapse('dead');
    expect(await bench.store.slot.offerSlot({ pool: 'lapse', host: 'lapse', holder: 'alive' })).toBe(slotId);
    expect(await bench.store.slot.renewOffers({ holder: 'dead', slotIds: ['lapse/0'] })).toEqual([]);
    expect(await bench.store.slot.leaseSlot({ jobId: 'lapse/1', slotId: 'lapse/0', holder: 'dead' })).toBeUndefined();
    await bench.store.slot.returnOffer({ slotId: 'lapse/0', holder: 'dead' });
    expect(await statesOf('lapse')).toEqual([{ state: 'offered', holder: 'alive', trial_id: null }]);
    expect(await bench.store.slot.leaseSlot({ jobId: 'lapse/1', slotId: 'lapse/0', holder: 'alive' })).toMatchObject({
      id: 'lapse/0',
    });
  });

  test('stay with a worker that renews each of them, and end when it returns them', async () => {
    await insertSlots(bench.db, 'renew', 2);
    const renewed = (await bench.store.slot.offerSlot({ pool: 'renew', host: 'renew', holder: 'w' })) ?? '';
    const forgotten = (await bench.store.slot.offerSlot({ pool: 'renew', host: 'renew', holder: 'w' })) ?? '';
    await lapse('w');
    expect(await bench.store.slot.renewOffers({ holder: 'w', slotIds: [renewed] })).toEqual([renewed]);
    expect(await bench.store.slot.offerSlot({ pool: 'renew', host: 'renew', holder: 'other' })).toBe(forgotten);
    expect(await bench.store.slot.offerSlot({ pool: 'renew', host: 'renew', holder: 'other' })).toBeUndefined();
    await bench.store.slot.returnOffer({ slotId: renewed, holder: 'w' });
    expect(await statesOf('renew')).toContainEqual({ state: 'free', holder: null, trial_id: null });
  });

  test('to workers that are known to be dead are withdrawn at once', async () => {
    await insertSlots(bench.db, 'dead', 2);
    await bench.store.slot.offerSlot({ pool: 'dead', host: 'dead', holder: 'a' });
    await bench.store.slot.offerSlot({ pool: 'dead', host: 'dead', holder: 'b' });
    expect((await bench.store.slot.findOfferHolders('dead')).sort()).toEqual(['a', 'b']);
    await bench.store.slot.withdrawOffers('a');
    expect(await bench.store.slot.findOfferHolders('dead')).toEqual(['b']);
    expect(await bench.store.slot.offerSlot({ pool: 'dead', host: 'dead', holder: 'c' })).toBeDefined();
  });
});

describe('leases', () => {
  test('give one slot to one of many trials, and one trial one slot, despite concurrent requests', async () => {
    await insertTrials(bench.db, 'many', 6);
    await insertSlots(bench.db, 'many', 2);
    await bench.store.slot.offerSlot({ pool: 'many', host: 'many', holder: 'w' });
    await bench.store.slot.offerSlot({ pool: 'many', host: 'many', holder: 'w' });
    const stores = Array.from({ length: 6 }, () => bench.another());
    const leases = await Promise.all(
      stores.map((store, n) => store.slot.leaseSlot({ jobId: `many/${n + 1}`, slotId: 'many/0', holder: 'w' })),
    );
    expect(leases.filter((lease) => lease !== undefined)).toHaveLength(1);
    const winner = leases.findIndex((lease) => lease !== undefined);
    const again = await Promise.all(
      stores.map((store) => store.slot.leaseSlot({ jobId: `many/${winner + 1}`, slotId: 'many/1', holder: 'w' })),
    );
    expect(new Set(again.map((lease) => lease?.id))).toEqual(new Set(['many/0']));
    expect(new Set(again.map((lease) => lease?.fence))).toEqual(new Set([leases[winner]?.fence]));
  });

  test('that one trial requests twice at once, on two offers, are one', async () => {
    await insertTrials(bench.db, 'pair', 10);
    await insertSlots(bench.db, 'pair', 2);
    const [a, b] = [bench.another(), bench.another()];
    for (let round = 0; round < 10; round += 1) {
      const [first, second] = [
        await a.slot.offerSlot({ pool: 'pair', host: 'pair', holder: 'a' }),
        await b.slot.offerSlot({ pool: 'pair', host: 'pair', holder: 'b' }),
      ];
      const trialId = `pair/${round + 1}`;
      // The loser gets the same lease or an error, after which the launch reads the lease again.
      const requests = await Promise.allSettled([
        a.slot.leaseSlot({ jobId: trialId, slotId: first ?? '', holder: 'a' }),
        b.slot.leaseSlot({ jobId: trialId, slotId: second ?? '', holder: 'b' }),
      ]);
      const leases = requests.flatMap((request) => (request.status === 'fulfilled' ? [request.value] : []));
      const held = (await statesOf('pair')).filter((slot) => slot['trial_id'] === trialId);
      expect(held).toHaveLength(1);
      expect(new Set(leases.map((lease) => lease?.id)).size).toBe(1);
      await bench.db.execute(sql`update slots set state = 'free', holder = null, trial_id = null where pool = 'pair'`);
    }
  });

  test('are not given to a job that has ended, nor to a worker of another host', async () => {
    await insertTrials(bench.db, 'late', 1);
    await insertSlots(bench.db, 'late', 1);
    expect(await bench.store.slot.offerSlot({ pool: 'late', host: 'elsewhere', holder: 'w' })).toBeUndefined();
    await bench.store.slot.offerSlot({ pool: 'late', host: 'late', holder: 'w' });
    await bench.db.execute(sql`update jobs set ended_at = now() where id = 'late/1'`);
    expect(await bench.store.slot.leaseSlot({ jobId: 'late/1', slotId: 'late/0', holder: 'w' })).toBeUndefined();
    expect(await statesOf('late')).toEqual([{ state: 'offered', holder: 'w', trial_id: null }]);
  });

  test('are freed by their own fence only, and each has a higher fence', async () => {
    await insertTrials(bench.db, 'fence', 1);
    await insertSlots(bench.db, 'fence', 1);
    const lease = async (trialId: string) => {
      const slotId = (await bench.store.slot.offerSlot({ pool: 'fence', host: 'fence', holder: 'w' })) ?? '';
      return bench.store.slot.leaseSlot({ jobId: trialId, slotId, holder: 'w' });
    };
    const first = await lease('fence/1');
    expect(await bench.store.slot.freeSlot({ jobId: 'fence/1', fence: (first?.fence ?? 0) - 1 })).toBe(false);
    expect(await bench.store.slot.freeSlot({ jobId: 'fence/1', fence: first?.fence ?? 0 })).toBe(true);
    const second = await lease('fence/1');
    expect(second?.fence).toBe((first?.fence ?? 0) + 1);
    expect(await bench.store.slot.freeSlot({ jobId: 'fence/1', fence: first?.fence ?? 0 })).toBe(false);
    expect(await bench.store.slot.findLease('fence/1')).toMatchObject({ id: 'fence/0', fence: second?.fence });
  });
});
