import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const hostOf = async (name: string) => (await bench.store.host.findHosts()).find((host) => host.name === name);

/** Applies a fleet of one host, and claims a probe of it. */
async function apply(name: string): Promise<void> {
  await bench.store.host.applyFleet(Fleet.parse({ pools: { box: { slots: 'host' } }, hosts: [{ name, pool: 'box' }] }));
  expect(await bench.store.host.claimProbe(name)).not.toBeNull();
}

test('a host that loses a run is probed again, and a second loss before a run ends there is a failure', async () => {
  const { store } = bench;
  await apply('holes');
  expect((await hostOf('holes'))?.due).toBe(false);
  await store.host.noteLostRun({ name: 'holes', message: 'run 0 of a was lost there' });
  expect(await hostOf('holes')).toMatchObject({
    due: true,
    failures: 1,
    quarantinedUntil: null,
    lastError: 'run 0 of a was lost there',
  });
  const quarantines: number[] = [];
  for (let lost = 0; lost < 3; lost += 1) {
    await store.host.noteLostRun({ name: 'holes', message: `run 0 of ${lost} was lost there` });
    const { quarantinedUntil, lastErrorAt } = (await hostOf('holes')) ?? {};
    quarantines.push(Math.round(((quarantinedUntil?.getTime() ?? 0) - (lastErrorAt?.getTime() ?? 0)) / 1000));
    await bench.db.execute(sql`update hosts set quarantined_until = null where name = 'holes'`);
  }
  expect(quarantines).toEqual([10, 20, 40]);
  expect(await hostOf('holes')).toMatchObject({ lastError: 'run 0 of 2 was lost there' });
});

test.each([0, 2])(
  'a host in quarantine that loses a run keeps the error of the quarantine (%i failures)',
  async (failures) => {
    const { store } = bench;
    await apply('kept');
    await store.host.noteHostFailure({ name: 'kept', message: 'no answer' });
    await bench.db.execute(sql`update hosts set failures = ${failures} where name = 'kept'`);
    const before = await hostOf('kept');
    await store.host.noteLostRun({ name: 'kept', message: 'run 0 of a was lost there' });
    expect(await hostOf('kept')).toMatchObject({
      lastError: 'no answer',
      failures: Math.max(failures, 1),
      quarantinedUntil: before?.quarantinedUntil,
    });
  },
);

test('the failures of a host are reset when a run ends there', async () => {
  const { store } = bench;
  await apply('mended');
  await store.host.noteLostRun({ name: 'mended', message: 'lost' });
  await store.host.noteHostSuccess('mended');
  await store.host.noteLostRun({ name: 'mended', message: 'lost' });
  expect(await hostOf('mended')).toMatchObject({ failures: 1, quarantinedUntil: null });
});

test('a failure an hour after the last one begins a new streak', async () => {
  const { store } = bench;
  await apply('calm');
  const fail = async (hoursSince: number): Promise<number> => {
    await bench.db.execute(sql`update hosts set quarantined_until = null,
      last_error_at = now() - make_interval(secs => ${hoursSince * 3600}) where name = 'calm'`);
    await store.host.noteHostFailure({ name: 'calm', message: 'no answer' });
    const { quarantinedUntil, lastErrorAt } = (await hostOf('calm')) ?? {};
    return Math.round(((quarantinedUntil?.getTime() ?? 0) - (lastErrorAt?.getTime() ?? 0)) / 1000);
  };
  expect([await fail(0.9), await fail(0.9), await fail(1.1), await fail(0)]).toEqual([5, 10, 5, 10]);
});
