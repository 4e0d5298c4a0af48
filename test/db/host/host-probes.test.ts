import { eq, sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import type { ProbeMark } from '../../../db/host/host-probes.ts';
import { runs } from '../../../db/schema.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import type { FleetSlot } from '../../../domain/fleet/slots.ts';
import { insertTrials, useDatabase } from '../support.ts';

const bench = useDatabase();
const fleet = Fleet.parse({ pools: { lab: { slots: 'gpu' } }, hosts: [{ name: 'box', pool: 'lab' }] });
let trials = 0;

beforeAll(async () => {
  await bench.store.host.applyFleet(fleet);
  await insertTrials(bench.db, 'left', 9);
});

/** Records a probe that finds one slot, and lends it. */
async function probe(gpu: string | null, mark?: ProbeMark | null): Promise<void> {
  const [spec] = fleet.hosts;
  const poolSpec = fleet.pools.lab;
  if (!spec || !poolSpec) throw new Error('Expected a host and its pool');
  const slots: FleetSlot[] = [{ key: 'only', index: 0, gpu }];
  const facts = { cores: 8, memoryMb: 8192, gpus: [] };
  await bench.store.host.recordGoodProbe({
    host: { name: 'box', pool: 'lab', spec, poolSpec },
    note: null,
    facts,
    slots,
    ...(mark ? { mark } : {}),
  });
}

const offer = async (): Promise<string | undefined> => bench.store.slot.offerSlot({ pool: 'lab', holder: 'w' });

/** Runs a trial to its end on the free slot. Returns the two ways to free that slot. */
async function ended(treeGone: boolean) {
  const key = { jobId: `left/${(trials += 1)}`, placement: 0 };
  const lease = await bench.store.slot.leaseSlot({ jobId: key.jobId, slotId: (await offer()) ?? '', holder: 'w' });
  if (!lease) throw new Error('Expected a lease');
  await bench.store.run.beginRun({ ...key, lease });
  await bench.db
    .update(runs)
    .set({ end: { reason: 'exit', treeGone } })
    .where(eq(runs.jobId, key.jobId));
  return {
    ofRun: () => bench.store.run.freeSlotOfPlacement(key),
    ofLease: async () => {
      await bench.store.run.closeRun(key);
      return bench.store.slot.freeSlot({ ...key, fence: lease.fence });
    },
  };
}

test.each(['ofRun', 'ofLease'] as const)(
  'a GPU with possible leftovers of a run is lent again once a probe has found it free (%s)',
  async (way) => {
    await probe('GPU-0');
    expect(await (await ended(false))[way]()).toBe(true);
    expect(await offer()).toBeUndefined();
    await probe('GPU-0');
    expect(await (await ended(true))[way]()).toBe(true);
    expect(await offer()).toBe('box/lab/only');
    await bench.store.slot.returnOffer({ slotId: 'box/lab/only', holder: 'w' });
  },
);

test.each(['ofRun', 'ofLease', 'retired'] as const)(
  'a probe that began before a GPU was withheld does not lend it, the next one does (%s)',
  async (way) => {
    await probe('GPU-0');
    const begin = async (): Promise<ProbeMark | null> => {
      await bench.store.host.requestProbe('box');
      return bench.store.host.claimProbe('box');
    };
    const run = await ended(way === 'retired');
    const early = await begin();
    if (way === 'retired') await bench.store.slot.retireSlot('box/lab/only');
    await run[way === 'retired' ? 'ofRun' : way]();
    await probe('GPU-0', early);
    expect(await offer()).toBeUndefined();
    // The next probe can begin at once.
    await probe('GPU-0', await bench.store.host.claimProbe('box'));
    expect(await offer()).toBe('box/lab/only');
    await bench.store.slot.returnOffer({ slotId: 'box/lab/only', holder: 'w' });
  },
);

test('a probe that is so slow that another one begins meanwhile is still recorded', async () => {
  await probe('GPU-0');
  await bench.store.host.requestProbe('box');
  const slow = await bench.store.host.claimProbe('box');
  expect(await bench.store.host.claimProbe('box')).toBeNull();
  await bench.db.execute(sql`update hosts set looked_at = looked_at - interval '31 seconds'`);
  expect(await bench.store.host.claimProbe('box')).not.toBeNull();
  await bench.db.execute(sql`update slots set wanted = false`);
  await probe('GPU-0', slow);
  expect(slow).not.toBeNull();
  expect(await offer()).toBe('box/lab/only');
  await bench.store.slot.returnOffer({ slotId: 'box/lab/only', holder: 'w' });
});

test('a probe that began before a GPU was withheld does not lend it, though another one began since', async () => {
  await probe('GPU-0');
  const run = await ended(false);
  await bench.store.host.requestProbe('box');
  const early = await bench.store.host.claimProbe('box');
  await run.ofRun();
  const late = await bench.store.host.claimProbe('box');
  await probe('GPU-0', early);
  expect(await offer()).toBeUndefined();
  await probe('GPU-0', late);
  expect(await offer()).toBe('box/lab/only');
  await bench.store.slot.returnOffer({ slotId: 'box/lab/only', holder: 'w' });
});

test('a probe that began before its host failed does not end the quarantine, though another began since', async () => {
  await bench.store.host.requestProbe('box');
  const early = await bench.store.host.claimProbe('box');
  await bench.store.host.noteHostFailure({ name: 'box', message: 'host box: it was away' });
  await bench.db.execute(sql`update hosts set quarantined_until = now()`);
  const late = await bench.store.host.claimProbe('box');
  expect(late).not.toBeNull();
  await probe('GPU-0', early);
  expect(await offer()).toBeUndefined();
  await probe('GPU-0', late);
  expect(await offer()).toBe('box/lab/only');
  await bench.store.slot.returnOffer({ slotId: 'box/lab/only', holder: 'w' });
});

test('a probe that a worker of an older version voided by `looked_at` alone lends nothing', async () => {
  await bench.store.host.requestProbe('box');
  const early = await bench.store.host.claimProbe('box');
  await bench.db.execute(sql`update hosts set looked_at = to_timestamp(0), last_error_at = null`);
  await bench.db.execute(sql`update slots set wanted = false`);
  await probe('GPU-0', early);
  expect(await offer()).toBeUndefined();
  await probe('GPU-0', await bench.store.host.claimProbe('box'));
  expect(await offer()).toBe('box/lab/only');
  await bench.store.slot.returnOffer({ slotId: 'box/lab/only', holder: 'w' });
});

test('a slot without a GPU is lent at once, whatever the leftovers', async () => {
  await probe(null);
  await (await ended(false)).ofRun();
  expect(await offer()).toBe('box/lab/only');
});
