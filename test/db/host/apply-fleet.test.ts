import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

test('pools are those of all hosts that were ever applied, each once', async () => {
  const { host } = bench.store;
  const pools = { lab: { slots: 'cpu' as const }, cloud: { slots: 'cpu' as const } };
  const named = (name: string, pool: string) => ({ name, pool });
  await host.applyFleet(Fleet.parse({ pools, hosts: [named('a', 'lab'), named('b', 'lab'), named('c', 'cloud')] }));
  await host.applyFleet(Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts: [named('a', 'lab')] }));
  // A pool that was taken out may be served for a while by a worker that has not heard of it.
  expect(await host.findPools()).toEqual(['cloud', 'lab']);
});

test('a database from before there was a fleet has no pools', async () => {
  await bench.db.execute(sql`alter table hosts rename to hosts_of_later`);
  expect(await bench.store.host.findPools()).toEqual([]);
  await bench.db.execute(sql`alter table hosts_of_later rename to hosts`);
});

test('a host that rests is looked at now where it is applied as it was: somebody may have mended it', async () => {
  const { store } = bench;
  const fleet = Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts: [{ name: 'box', pool: 'lab' }] });
  const boxNow = async () => (await store.host.findHosts()).find(({ name }) => name === 'box');
  await store.host.applyFleet(fleet);
  await store.host.claimProbe('box');
  await store.host.noteHostFailure({ name: 'box', message: 'no answer' });
  expect(await boxNow()).toMatchObject({ due: false });
  expect(await store.host.applyFleet(fleet)).toMatchObject({ unchanged: ['box'] });
  // It rests until that look went well, and if it does not, as one that failed for the first time.
  expect(await boxNow()).toMatchObject({ due: true, failures: 0, quarantinedUntil: expect.any(Date) as Date });
});
