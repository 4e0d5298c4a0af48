import { expect, test } from 'vitest';
import { type MovedHostMatch, findMovedHosts } from '../../../db/host/apply-fleet.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { insertTrials, useDatabase } from '../support.ts';

const bench = useDatabase();

const at = (address: string, more: object = {}): Fleet =>
  Fleet.parse({ pools: { way: { slots: 'cpu' } }, hosts: [{ name: 'way', pool: 'way', address, ...more }] });

test('a host at another address keeps its runs if they show that it is the same machine', async () => {
  const { store, db } = bench;
  await store.host.applyFleet(at('10.0.0.1'));
  const {
    hosts: [spec],
    pools: { way: poolSpec },
  } = at('10.0.0.1');
  if (!spec || !poolSpec) throw new Error('Expected a host and its pool');
  await store.host.recordGoodProbe({
    host: { name: 'way', pool: 'way', spec, poolSpec },
    note: null,
    facts: { cores: 8, memoryMb: 8192, gpus: [] },
    slots: [{ key: '0', index: 0, gpu: null }],
  });
  await insertTrials(db, 'way', 1);
  const slotId = (await store.slot.offerSlot({ pool: 'way', holder: 'w' })) ?? '';
  const lease = await store.slot.leaseSlot({ jobId: 'way/1', slotId, holder: 'w' });
  if (!lease) throw new Error('Expected a lease');
  await store.run.beginRun({ jobId: 'way/1', placement: 0, lease });
  expect(await findMovedHosts(db, at('10.0.0.1'))).toEqual([]);
  const runs = [{ jobId: 'way/1', placement: 0 }];
  expect(await findMovedHosts(db, at('10.0.0.2'))).toMatchObject([{ spec: { address: '10.0.0.2' }, runs }]);
  const move = (answer?: MovedHostMatch, more: object = {}) =>
    store.host.applyFleet(at('10.0.0.2', more), answer ? { answers: { way: answer } } : {});
  await expect(move('same', { user: 'eve' })).rejects.toThrow('its user changes;');
  const refused = 'while its address changes; 1 of its runs may be under way (way/1) and would be lost. The machine';
  await expect(move('other')).rejects.toThrow(`${refused} at the new address has none of these runs. Nothing`);
  await expect(move('none')).rejects.toThrow(`${refused} at the new address could not be checked. Nothing`);
  await expect(move()).rejects.toThrow(`${refused} at the new address was not checked: these runs began`);
  expect(await move('same')).toMatchObject({ changed: ['way'] });
});
