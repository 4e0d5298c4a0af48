import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

test('pools are those of all hosts that a fleet ever had, each once', async () => {
  const { host } = bench.store;
  const pools = { lab: { slots: 'cpu' as const }, cloud: { slots: 'cpu' as const } };
  const named = (name: string, pool: string) => ({ name, pool });
  await host.applyFleet(Fleet.parse({ pools, hosts: [named('a', 'lab'), named('b', 'lab'), named('c', 'cloud')] }));
  await host.applyFleet(Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts: [named('a', 'lab')] }));
  // A worker that has not read the new fleet may still serve a removed pool for a while.
  expect(await host.findPools()).toEqual(['cloud', 'lab']);
});

test('a database of a version without fleets has no pools', async () => {
  await bench.db.execute(sql`alter table hosts rename to hosts_of_later`);
  expect(await bench.store.host.findPools()).toEqual([]);
  await bench.db.execute(sql`alter table hosts_of_later rename to hosts`);
});

test('a host in quarantine is probed at once if the same fleet is applied: a person may have repaired it', async () => {
  const { store } = bench;
  const fleet = Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts: [{ name: 'box', pool: 'lab' }] });
  const boxNow = async () => (await store.host.findHosts()).find(({ name }) => name === 'box');
  await store.host.applyFleet(fleet);
  await store.host.claimProbe('box');
  await store.host.noteHostFailure({ name: 'box', message: 'no answer' });
  expect(await boxNow()).toMatchObject({ due: false });
  expect(await store.host.applyFleet(fleet)).toMatchObject({ unchanged: ['box'] });
  // The host stays in quarantine until that probe succeeds. If the probe fails, it counts as the first failure.
  expect(await boxNow()).toMatchObject({ due: true, failures: 0, quarantinedUntil: expect.any(Date) as Date });
});
