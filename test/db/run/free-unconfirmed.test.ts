import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import type { ProbeMark } from '../../../db/host/host-probes.ts';
import { insertSlots, insertTrials, useDatabase } from '../support.ts';

const bench = useDatabase();
const fleet = Fleet.parse({ pools: { lab: { slots: 'cpu' } }, hosts: [{ name: 'box', pool: 'lab' }] });
const key = (id: string) => ({ jobId: `${id}/1`, placement: 0 });

/** Runs a trial to its end. The trial still holds its slot. */
async function ended(id: string, location: { pool: string; host?: string }) {
  const { store } = bench;
  await insertTrials(bench.db, id, 1);
  const slotId = (await store.slot.offerSlot({ ...location, holder: 'w' })) ?? '';
  const lease = await store.slot.leaseSlot({ jobId: `${id}/1`, slotId, holder: 'w' });
  if (!lease) throw new Error('Expected a lease');
  await store.run.beginRun({ ...key(id), lease });
  await store.run.saveRunEnd({
    ...key(id),
    follower: 0,
    end: { reason: 'exit', treeGone: true },
    logTail: '',
    seconds: 1,
    artefacts: [],
  });
  return { slotId, fence: lease.fence };
}

async function probe(mark: ProbeMark | null): Promise<void> {
  const [spec] = fleet.hosts;
  const poolSpec = fleet.pools.lab;
  if (!spec || !poolSpec || !mark) throw new Error('Expected a host, its pool and a probe');
  await bench.store.host.recordGoodProbe({
    host: { name: 'box', pool: 'lab', spec, poolSpec },
    mark,
    note: null,
    facts: { cores: 8, memoryMb: 8192, gpus: [] },
    slots: [{ key: 'only', index: 0, gpu: null }],
  });
}

const offer = async (): Promise<string | undefined> => bench.store.slot.offerSlot({ pool: 'lab', holder: 'w' });

test('an unconfirmed ended run is an orphan of its host, and its slot waits for a later probe', async () => {
  const { store } = bench;
  await store.host.applyFleet(fleet);
  await probe(await store.host.claimProbe('box'));
  const { fence } = await ended('asked', { pool: 'lab' });
  await store.host.requestProbe('box');
  const early = await store.host.claimProbe('box');
  expect(await store.run.findOrphans('box')).toEqual([]);
  await store.run.freeUnconfirmed({ ...key('asked'), fence });
  expect(await store.slot.findLease('asked/1')).toBeUndefined();
  expect(await store.run.findOrphans('box')).toMatchObject([{ ...key('asked'), fence }]);
  await probe(early);
  expect(await offer()).toBeUndefined();
  // The run stays an orphan if its slot is freed once more, as when the trial keeps its outcome.
  expect(await store.run.freeSlotOfPlacement(key('asked'))).toBe(false);
  expect(await store.run.findOrphans('box')).toHaveLength(1);
  await store.run.closeRun(key('asked'));
  await probe(await store.host.claimProbe('box'));
  expect(await offer()).toBe('box/lab/only');
  await store.slot.returnOffer({ slotId: 'box/lab/only', holder: 'w' });
});

test('a machine outside of the fleet, which is never probed, lends that slot again at once', async () => {
  const { store } = bench;
  const own = { pool: 'own', host: 'own' };
  await insertSlots(bench.db, 'own', 1);
  const { slotId, fence } = await ended('own', own);
  await store.run.freeUnconfirmed({ ...key('own'), fence });
  expect(await store.run.findRun(key('own'))).toMatchObject({ endedAt: expect.any(Date) as Date });
  expect(await store.slot.offerSlot({ ...own, holder: 'w' })).toBe(slotId);
});

test('a host that was removed meanwhile is probed until a probe has ended the run', async () => {
  const { store } = bench;
  const due = async () => {
    await bench.db.execute(sql`update hosts set looked_at = least(looked_at, now() - interval '1 minute')`);
    return (await store.host.findHosts()).find(({ name }) => name === 'box')?.due;
  };
  await store.host.applyFleet(fleet);
  await store.host.requestProbe('box');
  await probe(await store.host.claimProbe('box'));
  const { fence } = await ended('taken-out', { pool: 'lab' });
  await store.host.applyFleet({ ...fleet, hosts: [] });
  expect(await due()).toBe(false);
  await store.run.freeUnconfirmed({ ...key('taken-out'), fence });
  expect(await due()).toBe(true);
  // A probe that died, or could not end the run.
  await store.host.claimProbe('box');
  expect(await due()).toBe(true);
  await store.run.closeRun(key('taken-out'));
  expect((await store.host.findHosts()).map(({ name }) => name)).not.toContain('box');
});

test('a probe that began before the slot was freed does not close the run', async () => {
  const { store } = bench;
  await store.host.applyFleet(fleet);
  await store.host.requestProbe('box');
  await probe(await store.host.claimProbe('box'));
  const { fence } = await ended('launching', { pool: 'lab' });
  await store.host.requestProbe('box');
  const early = (await store.host.claimProbe('box')) ?? undefined;
  await store.run.freeUnconfirmed({ ...key('launching'), fence });
  const run = { ...key('launching'), host: 'box' };
  await store.run.closeOrphan({ ...run, mark: early });
  expect(await store.run.findOrphans('box')).toHaveLength(1);
  await store.run.closeOrphan({ ...run, mark: (await store.host.claimProbe('box')) ?? undefined });
  expect(await store.run.findOrphans('box')).toEqual([]);
});

test('a run whose slot is already free stays unchanged', async () => {
  const { store } = bench;
  const own = { pool: 'seen', host: 'seen' };
  await store.host.applyFleet(
    Fleet.parse({ pools: { seen: { slots: 'cpu' } }, hosts: [{ name: 'seen', pool: 'seen' }] }),
  );
  await insertSlots(bench.db, 'seen', 1);
  const { fence } = await ended('seen', own);
  await bench.db.execute(sql`update runs set launched_at = now() where trial_id = 'seen/1'`);
  await store.run.freeSlotOfPlacement(key('seen'));
  await store.run.freeUnconfirmed({ ...key('seen'), fence });
  expect(await store.run.findRun(key('seen'))).toMatchObject({ endedAt: expect.any(Date) as Date });
});
