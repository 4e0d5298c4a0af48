import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { KnownHost } from '../../../db/host/fleet.ts';
import { runs } from '../../../db/schema.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import type { Owner } from '../../../domain/fleet/gpus.ts';
import { HostUnreachableError, HostUnusableError, type RunRef } from '../../../infra/compute.ts';
import type { SshCompute } from '../../../infra/compute/ssh.ts';
import { probeHost } from '../../../workers/fleet/probe-host.ts';
import { insertTrials, useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const reach = (): void => undefined;
/** A machine with room for runs and no GPU. */
const MACHINE = {
  boot: 'b',
  cores: 1,
  memoryMb: 8192,
  roomMb: 8192,
  gpus: [],
  uses: [],
  held: [],
  gpuFault: null,
  clockAhead: 0,
  isRoot: false,
};

/** A host that was away for an hour, with run directories of so many trials, and the list of those removed. */
async function insertBack(name: string, trials: number) {
  const { store, db } = bench;
  await store.host.applyFleet(Fleet.parse({ pools: { p: { slots: 'cpu' } }, hosts: [{ name, pool: 'p' }] }));
  await db.execute(
    sql`update hosts set seen_at = now() - interval '1 hour', quarantined_until = now() where name = ${name}`,
  );
  await insertTrials(db, name, trials);
  const run = { placement: 0, host: name, slotId: 's', fence: 1, endedAt: new Date() };
  const ids = Array.from({ length: trials }, (_, index) => `${name}/${index + 1}`);
  await db.insert(runs).values(ids.map((jobId) => ({ ...run, jobId })));
  await db.execute(
    sql`update trials set placement = 1, status = 'completed', ended_at = now() where research_id = ${name}`,
  );
  await db.execute(sql`update jobs set ended_at = now() where research_id = ${name}`);
  const removed: string[] = [];
  /** Probes the host; the connection is cut after so many removals. */
  const probe = async (removals: number): Promise<void> => {
    let rest = removals;
    const compute = {
      requireReadable: () => Promise.resolve(),
      machine: () => Promise.resolve(MACHINE),
      remove: ({ jobId }: RunRef) => {
        if ((rest -= 1) < 0) return Promise.reject(new HostUnreachableError(name, 'closed', { message: 'cut off' }));
        removed.push(jobId);
        return Promise.resolve();
      },
    } as unknown as SshCompute;
    await probeHost({ store, compute, reach }, await find());
  };
  const find = async (): Promise<KnownHost> => {
    const host = (await store.host.findHosts()).find((one) => one.name === name);
    if (!host) throw new Error('Expected the host');
    return host;
  };
  return { ids, removed, probe, find };
}

test('the next probe removes the leftovers of a returned host if one is cut off', async () => {
  const { removed, probe, find } = await insertBack('box', 2);
  await expect(probe(1)).rejects.toThrow('cut off');
  expect(removed).toEqual(['box/1']);
  await probe(2);
  expect(removed).toEqual(['box/1', 'box/1', 'box/2']);
  const facts = { cores: 1, memoryMb: 8192, gpus: [], gpusSeen: [] };
  expect(await find()).toMatchObject({ quarantinedUntil: null, note: null, facts });
});

test('the next probe also removes leftovers that a host need not wait for, though it already serves', async () => {
  const { ids, removed, probe, find } = await insertBack('many', 60);
  await expect(probe(55)).rejects.toThrow('cut off');
  expect(await find()).toMatchObject({ quarantinedUntil: null });
  await probe(60);
  expect(new Set(removed)).toEqual(new Set(ids));
  const before = removed.length;
  await probe(0);
  expect(removed.length).toBe(before);
  expect(await find()).toMatchObject({ leftSince: null, note: null });
});

test('leftover processes on a GPU end before that GPU is lent, and no process of anybody else does', async () => {
  const { store } = bench;
  await store.host.applyFleet(Fleet.parse({ pools: { g: { slots: 'gpu' } }, hosts: [{ name: 'gpus', pool: 'g' }] }));
  const gpus = [0, 1].map((index) => ({ index, uuid: `GPU-${index}`, name: 'H100', memoryMb: 81_920 }));
  const use = (pid: number, whose: Owner) => ({ uuid: `GPU-${pid}`, pid, birth: 70 + pid, whose });
  let uses = [use(0, 'left'), use(1, 'stranger')];
  const evicted: unknown[] = [];
  const compute = {
    requireReadable: () => Promise.resolve(),
    machine: () => Promise.resolve({ ...MACHINE, gpus, uses }),
    killGpuLeftovers: (found: { uses: typeof uses }) => {
      evicted.push(found);
      uses = uses.filter((one) => !found.uses.includes(one));
      return Promise.resolve();
    },
  } as unknown as SshCompute;
  const find = async () => (await store.host.findHosts()).find(({ name }) => name === 'gpus');
  const host = await find();
  if (!host) throw new Error('Expected the host');
  await probeHost({ store, compute, reach }, host);
  expect(evicted).toEqual([{ boot: 'b', uses: [use(0, 'left')] }]);
  expect(await find()).toMatchObject({ note: 'in use by others: GPU 1' });
  const offer = () => store.slot.offerSlot({ pool: 'g', holder: 'w' });
  expect([await offer(), await offer()]).toEqual(['gpus/g/GPU-0', undefined]);
});

test('the note names a GPU that is gone, though nobody named it, and a whole host is not lent', async () => {
  const { store } = bench;
  const pools = { some: { slots: 'gpu' }, whole: { slots: 'host' } };
  const fleet = Fleet.parse({ pools, hosts: ['some', 'whole'].map((pool) => ({ name: `${pool}-box`, pool })) });
  await store.host.applyFleet(fleet);
  let gpus = [0, 1].map((index) => ({ index, uuid: `GPU-${index}`, name: 'H100', memoryMb: 81_920 }));
  const compute = {
    requireReadable: () => Promise.resolve(),
    machine: () => Promise.resolve({ ...MACHINE, gpus }),
  } as unknown as SshCompute;
  const probed = async (name: string) => {
    const find = async () => (await store.host.findHosts()).find((host) => host.name === name)!;
    await probeHost({ store, compute, reach }, await find());
    return find();
  };
  for (const name of ['some-box', 'whole-box']) expect(await probed(name)).toMatchObject({ note: null });
  gpus = gpus.slice(0, 1);
  const gone = 'npx perpetua fleet apply)';
  for (let again = 0; again < 2; again += 1)
    expect((await probed('some-box')).note).toBe(`the GPUs GPU-1 are missing (if you removed them, run ${gone}`);
  expect(await probed('whole-box')).toMatchObject({
    quarantinedUntil: expect.any(Date) as Date,
    lastError: `expected the GPUs GPU-1, found none with these ids (if you removed them, run ${gone}`,
  });
  await store.host.applyFleet(fleet);
  expect((await probed('some-box')).note).toBeNull();
  // A virtual machine that was created again has other GPUs.
  gpus = [{ ...gpus[0]!, uuid: 'GPU-new' }];
  for (const name of ['some-box', 'whole-box']) expect((await probed(name)).note).toBeNull();
});

test('a GPU whose leftover does not end is not lent', async () => {
  const { store } = bench;
  await store.host.applyFleet(Fleet.parse({ pools: { s: { slots: 'gpu' } }, hosts: [{ name: 'stuck', pool: 's' }] }));
  const gpus = [{ index: 0, uuid: 'GPU-0', name: 'H100', memoryMb: 81_920 }];
  const uses = [{ uuid: 'GPU-0', pid: 7, birth: 1, whose: 'left' as const }];
  const compute = {
    requireReadable: () => Promise.resolve(),
    machine: () => Promise.resolve({ ...MACHINE, gpus, uses }),
    killGpuLeftovers: () => Promise.resolve(),
  } as unknown as SshCompute;
  const host = (await store.host.findHosts()).find(({ name }) => name === 'stuck');
  if (!host) throw new Error('Expected the host');
  await probeHost({ store, compute, reach }, host);
  expect(await store.slot.offerSlot({ pool: 's', holder: 'w' })).toBeUndefined();
});

test('a host without a folder that its runs are to read is not lent', async () => {
  const { store } = bench;
  await store.host.applyFleet(Fleet.parse({ pools: { r: { slots: 'host' } }, hosts: [{ name: 'bare', pool: 'r' }] }));
  const absent = new HostUnusableError('bare', 'readable: expected the folder /data/sets');
  let isThere = false;
  const compute = {
    requireReadable: () => (isThere ? Promise.resolve() : Promise.reject(absent)),
    machine: () => Promise.resolve(MACHINE),
  } as unknown as SshCompute;
  const host = (await store.host.findHosts()).find(({ name }) => name === 'bare');
  if (!host) throw new Error('Expected the host');
  const offer = () => store.slot.offerSlot({ pool: 'r', holder: 'w' });
  await expect(probeHost({ store, compute, reach }, host)).rejects.toThrow(absent);
  expect(await offer()).toBeUndefined();
  isThere = true;
  await probeHost({ store, compute, reach }, host);
  expect(await offer()).toMatch(/^bare\/r\//);
});

test.each([
  [59, null],
  [-59, null],
  [61.4, 'its clock is 61 s ahead of ours'],
  [-3600, 'its clock is 3600 s behind ours'],
])('the note names a clock that is more than a minute off, and the host serves: by %d s', async (clockAhead, note) => {
  const { store } = bench;
  await store.host.applyFleet(Fleet.parse({ pools: { c: { slots: 'cpu' } }, hosts: [{ name: 'clock', pool: 'c' }] }));
  const compute = {
    requireReadable: () => Promise.resolve(),
    machine: () => Promise.resolve({ ...MACHINE, clockAhead }),
  } as unknown as SshCompute;
  const find = async () => (await store.host.findHosts()).find(({ name }) => name === 'clock');
  const host = await find();
  if (!host) throw new Error('Expected the host');
  await probeHost({ store, compute, reach }, host);
  expect(await find()).toMatchObject({ note, quarantinedUntil: null });
});
