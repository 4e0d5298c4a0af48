import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { insertTrials, useDatabase } from '../support.ts';

const bench = useDatabase();

const fleetOf = (pool: string, ...names: string[]): Fleet =>
  Fleet.parse({ pools: { [pool]: { slots: 'cpu' } }, hosts: names.map((name) => ({ name, pool })) });
/** Records a good probe of a host of such a fleet. */
function well(name: string, pool: string, slots: number): Promise<void> {
  const fleet = fleetOf(pool, name);
  const [spec] = fleet.hosts;
  const poolSpec = fleet.pools[pool];
  if (!spec || !poolSpec) throw new Error('Expected a host and its pool');
  return bench.store.host.recordGoodProbe({
    host: { name, pool, spec, poolSpec },
    note: null,
    facts: { cores: 8, memoryMb: 8192, gpus: [] },
    slots: Array.from({ length: slots }, (_, index) => ({ key: String(index), index, gpu: null })),
  });
}
const hostOf = async (name: string) => (await bench.store.host.findHosts()).find((host) => host.name === name);

describe('a fleet that is applied', () => {
  test('adds, changes and removes hosts, and lends only slots of probed hosts', async () => {
    const { store } = bench;
    expect(await store.host.applyFleet(fleetOf('p', 'a', 'b'))).toMatchObject({ added: ['a', 'b'], removed: [] });
    expect(await store.slot.offerSlot({ pool: 'p', holder: 'w' })).toBeUndefined();
    await well('a', 'p', 1);
    await well('b', 'p', 1);
    expect(await store.slot.countSlots('p')).toBe(2);
    expect(await store.host.applyFleet(fleetOf('p', 'a', 'c'))).toEqual({
      added: ['c'],
      changed: [],
      removed: ['b'],
      unchanged: ['a'],
    });
    expect(await store.slot.offerSlot({ pool: 'p', holder: 'w' })).toBe('a/p/0');
    expect(await store.slot.offerSlot({ pool: 'p', holder: 'w' })).toBeUndefined();
  });

  test('takes the slots of a host that moves to another pool out of the old one', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('old', 'm'));
    await well('m', 'old', 2);
    expect(await store.host.applyFleet(fleetOf('new', 'm'))).toMatchObject({ changed: ['m'] });
    expect(await store.slot.countSlots('old')).toBe(0);
    // A probe that began before the change.
    await well('m', 'old', 2);
    expect(await store.slot.countSlots('old')).toBe(0);
    await well('m', 'new', 1);
    expect(await store.slot.offerSlot({ pool: 'new', holder: 'w' })).toBe('m/new/0');
  });

  test('lends nothing of a drained host until it is resumed, even if it is applied again', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('d', 'x'));
    await well('x', 'd', 1);
    expect(await store.host.drainHosts({ names: ['x'], drain: true })).toEqual(['x']);
    await store.host.applyFleet(fleetOf('d', 'x'));
    expect(await store.slot.offerSlot({ pool: 'd', holder: 'w' })).toBeUndefined();
    expect(await store.host.drainHosts({ names: ['x'], drain: false })).toEqual(['x']);
    expect(await store.slot.offerSlot({ pool: 'd', holder: 'w' })).toBe('x/d/0');
    // An offer from before the drain cannot be leased any more.
    await insertTrials(bench.db, 'late-offer', 1);
    await store.host.drainHosts({ names: ['x'], drain: true });
    expect(await store.slot.leaseSlot({ jobId: 'late-offer/1', slotId: 'x/d/0', holder: 'w' })).toBeUndefined();
  });

  test('keeps a removed host while a slot of it is held, and lends no slot beside one of another shape', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('small', 'r'));
    await well('r', 'small', 1);
    await insertTrials(bench.db, 'holds', 1);
    const slotId = (await store.slot.offerSlot({ pool: 'small', holder: 'w' })) ?? '';
    const lease = await store.slot.leaseSlot({ jobId: 'holds/1', slotId, holder: 'w' });
    await store.host.applyFleet(fleetOf('large', 'r'));
    await well('r', 'large', 2);
    expect(await store.slot.offerSlot({ pool: 'large', holder: 'w' })).toBeUndefined();
    await store.host.applyFleet(fleetOf('other', 'elsewhere'));
    expect(await hostOf('r')).toMatchObject({ state: 'removed' });
    await store.slot.freeSlot({ jobId: 'holds/1', fence: lease?.fence ?? 0 });
    expect(await hostOf('r')).toBeUndefined();
  });
});

describe('the slots of a host', () => {
  test('keep unique indices, however GPUs change, since runs have the uid of the index', async () => {
    const { store, db } = bench;
    const fleet = Fleet.parse({ pools: { ix: { slots: 'gpu' } }, hosts: [{ name: 'ix', pool: 'ix' }] });
    await store.host.applyFleet(fleet);
    const probe = async (...gpus: string[]): Promise<void> => {
      const [spec] = fleet.hosts;
      const poolSpec = fleet.pools.ix;
      if (!spec || !poolSpec) throw new Error('Expected a host and its pool');
      const slots = gpus.map((gpu, index) => ({ key: gpu, index, gpu }));
      const host = { name: 'ix', pool: 'ix', spec, poolSpec };
      await store.host.recordGoodProbe({ host, note: null, facts: { cores: 8, memoryMb: 8192, gpus: [] }, slots });
    };
    const indices = async (): Promise<Record<string, number>> => {
      const { rows } = await db.execute<{ gpu: string; index: number }>(
        sql`select gpu, index from slots where host = 'ix' order by gpu`,
      );
      return Object.fromEntries(rows.map(({ gpu, index }) => [gpu, index]));
    };
    await probe('A', 'B');
    // A is lost and C is added: C has the place in the list that B had.
    await probe('B', 'C');
    expect(await indices()).toEqual({ A: 0, B: 1, C: 2 });
    // Older versions left equal indices. A leased slot keeps the index with which its run was started.
    await db.execute(
      sql`update slots set index = 0, state = case when gpu = 'B' then 'leased' else state end where host = 'ix'`,
    );
    await probe('A', 'B', 'C');
    const repaired = await indices();
    expect(repaired.B).toBe(0);
    expect(new Set(Object.values(repaired)).size).toBe(3);
  });
});

describe('a host with possible runs', () => {
  const moved = (more: object) =>
    Fleet.parse({ pools: { mv: { slots: 'cpu' } }, hosts: [{ name: 'mover', pool: 'mv', ...more }] });
  const wellAs = async (fleet: Fleet): Promise<void> => {
    const [spec] = fleet.hosts;
    const poolSpec = fleet.pools.mv;
    if (!spec || !poolSpec) throw new Error('Expected a host and its pool');
    await bench.store.host.recordGoodProbe({
      host: { name: 'mover', pool: 'mv', spec, poolSpec },
      note: null,
      facts: { cores: 8, memoryMb: 8192, gpus: [] },
      slots: [{ key: '0', index: 0, gpu: null }],
    });
  };

  test.each([{ user: 'eve' }, { scratch: '/data' }, { address: '10.0.0.9' }, { port: 2222 }, { jump: 'gate' }])(
    'keeps its user, scratch folder and machine until it has no runs: %j is refused with the fix',
    async (change) => {
      const { store } = bench;
      const id = `moves-${Object.keys(change).join()}`;
      await store.host.applyFleet(moved({}));
      await wellAs(moved({}));
      await insertTrials(bench.db, id, 1);
      const slotId = (await store.slot.offerSlot({ pool: 'mv', holder: 'w' })) ?? '';
      const lease = await store.slot.leaseSlot({ jobId: `${id}/1`, slotId, holder: 'w' });
      if (!lease) throw new Error('Expected a lease');
      const refused = { name: 'FleetInUseError', message: expect.stringContaining(`(${id}/1)`) as string };
      // A setup may run on the host already.
      await expect(store.host.applyFleet(moved(change))).rejects.toMatchObject(refused);
      await store.run.beginRun({ jobId: `${id}/1`, placement: 0, lease });
      await store.slot.freeSlot({ jobId: `${id}/1`, fence: lease.fence });
      // The trial went on elsewhere, and its run may still be on this host.
      await expect(store.host.applyFleet(moved(change))).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining('npx perpetua fleet drain mover') as string,
      });
      expect(await hostOf('mover')).toMatchObject({ spec: moved({}).hosts[0] });
      // Keys that do not affect the location of runs may change.
      expect(
        await store.host.applyFleet(moved({ labels: [id], scratch: '~/.perpetua-host', address: 'mover' })),
      ).toMatchObject({ changed: ['mover'] });
      await store.run.closeRun({ jobId: `${id}/1`, placement: 0 });
      expect(await store.host.applyFleet(moved(change))).toMatchObject({ changed: ['mover'] });
    },
  );
});

describe('a host that fails', () => {
  test('lends nothing until a probe succeeds, and failures within one quarantine count as one', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('q', 'y'));
    await well('y', 'q', 1);
    expect(await store.slot.offerSlot({ pool: 'q', holder: 'w' })).toBe('y/q/0');
    await store.host.noteHostFailure({ name: 'y', message: 'no answer' });
    await bench.db.execute(sql`update hosts set quarantined_until = now() + interval '1 hour' where name = 'y'`);
    await store.host.noteHostFailure({ name: 'y', message: 'still none' });
    expect(await hostOf('y')).toMatchObject({ failures: 1, lastError: 'still none' });
    expect(await store.slot.offerSlot({ pool: 'q', holder: 'w' })).toBeUndefined();
    expect(await store.host.claimProbe('y')).toBeNull();
    await bench.db.execute(sql`update hosts set quarantined_until = now() - interval '1 second' where name = 'y'`);
    expect(await hostOf('y')).toMatchObject({ due: true });
    expect(await store.host.claimProbe('y')).not.toBeNull();
    expect(await store.host.claimProbe('y')).toBeNull();
    await well('y', 'q', 1);
    expect(await store.slot.offerSlot({ pool: 'q', holder: 'w' })).toBe('y/q/0');
  });

  test('is due for a probe by the clock of the database, which wrote all its times', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('clock', 'k'));
    const due = async (): Promise<boolean | undefined> => (await hostOf('k'))?.due;
    expect(await due()).toBe(true);
    const set = (what: string) => bench.db.execute(sql.raw(`update hosts set ${what} where name = 'k'`));
    await set(`looked_at = now() + interval '1 hour'`);
    expect(await due()).toBe(false);
    await set(`looked_at = now() - interval '31 seconds'`);
    expect(await due()).toBe(true);
    await set(`quarantined_until = now() + interval '1 hour'`);
    expect(await due()).toBe(false);
    await set(`quarantined_until = now() - interval '1 second', looked_at = now() - interval '2 seconds'`);
    expect(await due()).toBe(true);
    expect(await store.host.claimProbe('k')).not.toBeNull();
  });

  test('has a longer quarantine if no run was launched since the last one', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('long', 'z'));
    await well('z', 'long', 1);
    const over = () => bench.db.execute(sql`update hosts set quarantined_until = now() where name = 'z'`);
    for (const failures of [1, 2, 3]) {
      await store.host.noteHostFailure({ name: 'z', message: 'the disk is full' });
      const host = await hostOf('z');
      expect(host).toMatchObject({ failures });
      const seconds = ((host?.quarantinedUntil?.getTime() ?? 0) - (host?.lastErrorAt?.getTime() ?? 0)) / 1000;
      expect(seconds).toBeCloseTo(5 * 2 ** (failures - 1), 1);
      await over();
      expect(await store.host.claimProbe('z')).not.toBeNull();
      await well('z', 'long', 1);
      expect(await hostOf('z')).toMatchObject({ failures, quarantinedUntil: null });
    }
  });

  test('is away since the last contact of any worker', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('far', 'v'));
    await bench.db.execute(sql`update hosts set seen_at = now() - interval '100 seconds' where name = 'v'`);
    // Rounded to 90 s, so that a slow test machine does not change the result.
    const away = async (secondsSinceAnswer: number): Promise<number> =>
      Math.floor(((await store.host.secondsSinceContact({ name: 'v', secondsSinceAnswer })) ?? NaN) / 90) * 90;
    expect(await away(7)).toBe(0);
    expect(await away(500)).toBe(90);
    expect(await store.host.secondsSinceContact({ name: 'nobody', secondsSinceAnswer: 7 })).toBeUndefined();
  });

  test('lends a retired slot only after a probe has declared it again, and its other slots meanwhile', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('taken', 't'));
    await well('t', 'taken', 2);
    await store.slot.retireSlot('t/taken/0');
    expect(await store.slot.offerSlot({ pool: 'taken', holder: 'w' })).toBe('t/taken/1');
    expect(await store.slot.offerSlot({ pool: 'taken', holder: 'w' })).toBeUndefined();
    await well('t', 'taken', 2);
    expect(await store.slot.offerSlot({ pool: 'taken', holder: 'w' })).toBe('t/taken/0');
  });

  test('that a person takes out of quarantine is probed before it lends', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('mended', 'm'));
    await well('m', 'mended', 1);
    await store.host.noteHostFailure({ name: 'm', message: 'no sandbox' });
    expect(await store.slot.offerSlot({ pool: 'mended', holder: 'w' })).toBeUndefined();
    expect(await store.host.drainHosts({ names: ['m'], drain: false })).toEqual(['m']);
    expect(await hostOf('m')).toMatchObject({ failures: 0, state: 'serving' });
    expect(await store.host.claimProbe('m')).not.toBeNull();
    expect(await store.host.drainHosts({ names: ['m'], drain: false })).toEqual([]);
  });

  test('is not restored by a probe that began before the failure', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('late', 'l'));
    expect(await store.host.claimProbe('l')).not.toBeNull();
    await store.host.noteHostFailure({ name: 'l', message: 'gone' });
    await store.host.requestProbe('l');
    await well('l', 'late', 1);
    expect(await store.slot.offerSlot({ pool: 'late', holder: 'w' })).toBeUndefined();
  });

  test('has orphans only if a run lost its slot, not on the host whose slot its trial holds now', async () => {
    const { store } = bench;
    await store.host.applyFleet(fleetOf('o', 'here', 'there'));
    await well('here', 'o', 1);
    await well('there', 'o', 1);
    await insertTrials(bench.db, 'orphan', 1);
    const lease = async () => {
      const slotId = (await store.slot.offerSlot({ pool: 'o', holder: 'w' })) ?? '';
      const taken = await store.slot.leaseSlot({ jobId: 'orphan/1', slotId, holder: 'w' });
      if (!taken) throw new Error('Expected a lease');
      return taken;
    };
    const first = await lease();
    await store.run.beginRun({ jobId: 'orphan/1', placement: 0, lease: first });
    expect(await store.run.findOrphans(first.host)).toEqual([]);
    await store.host.noteHostFailure({ name: first.host, message: 'away' });
    await store.slot.freeSlot({ jobId: 'orphan/1', fence: first.fence });
    const second = await lease();
    expect(second.host).not.toBe(first.host);
    // The worker died before it reported that it had abandoned the first placement.
    expect(await store.run.beginRun({ jobId: 'orphan/1', placement: 0, lease: second })).toBe(false);
    expect(await store.run.findRun({ jobId: 'orphan/1', placement: 0 })).toMatchObject({ host: first.host });
    expect(await store.run.beginRun({ jobId: 'orphan/1', placement: 1, lease: second })).toBe(true);
    expect(await store.run.findOrphans(first.host)).toMatchObject([{ jobId: 'orphan/1', placement: 0 }]);
    expect(await store.run.findOrphans(second.host)).toEqual([]);
  });
});
