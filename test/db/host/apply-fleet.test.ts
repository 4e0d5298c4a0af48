import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

test('a host that rests is looked at now where it is applied as it was: somebody may have mended it', async () => {
  const { store } = bench;
  const fleet = Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts: [{ name: 'box', pool: 'lab' }] });
  const boxNow = async () => (await store.host.findHosts()).find(({ name }) => name === 'box');
  await store.host.applyFleet(fleet);
  await store.host.claimLook('box');
  await store.host.hostFailed({ name: 'box', message: 'no answer' });
  expect(await boxNow()).toMatchObject({ due: false });
  expect(await store.host.applyFleet(fleet)).toMatchObject({ unchanged: ['box'] });
  // It rests until that look went well, and if it does not, as one that failed for the first time.
  expect(await boxNow()).toMatchObject({ due: true, failures: 0, quarantinedUntil: expect.any(Date) as Date });
});
