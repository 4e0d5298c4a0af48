import { beforeEach, expect, test } from 'vitest';
import { declareOwnGpus, withdrawOwnGpus } from '../../../db/host/own-gpus.ts';
import { hosts, slots } from '../../../db/schema.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const ownGpus = (home: string) => ({
  home,
  scratch: `/${home}/gpus`,
  path: '/usr/bin',
  env: {},
  gpus: 'auto' as const,
});
const MINE = 'box-00000001';
const offer = (home?: string) =>
  bench.store.slot.offerSlot({ pool: 'gpu', holder: 'w', ...(home === undefined ? {} : { own: home }) });

beforeEach(async () => {
  await bench.db.delete(slots);
  await bench.db.delete(hosts);
});

/** Records a probe that finds these GPUs. */
async function probe(name: string, gpus: string[]): Promise<void> {
  const host = (await bench.store.host.findHosts()).find((one) => one.name === name);
  if (!host) throw new Error(`Expected the host ${name}`);
  const elsewhere = await bench.store.slot.findGpusElsewhere(name);
  const lent = gpus.filter((gpu) => !elsewhere.includes(gpu));
  await bench.store.host.recordGoodProbe({
    host,
    note: null,
    facts: { cores: 8, memoryMb: 8192, gpus: [] },
    slots: lent.map((gpu, index) => ({ key: gpu, index, gpu })),
  });
}
const stateOf = async (host: string) => (await bench.db.select().from(hosts)).find(({ name }) => name === host)?.state;
const lentBy = async (host: string): Promise<string[]> =>
  (await bench.db.select().from(slots)).flatMap((one) => (one.host === host && one.wanted ? (one.gpu ?? []) : []));

test('only the workers of a machine lend its GPUs, and none do once it has no GPUs any more', async () => {
  const name = await declareOwnGpus(bench.db, ownGpus(MINE));
  expect(name).toBe('gpus-of-box');
  expect(await offer(MINE)).toBeUndefined();
  await probe(name, ['GPU-0']);
  expect(await offer()).toBeUndefined();
  expect(await offer('other-00000002')).toBeUndefined();
  expect(await lentBy(name)).toEqual(['GPU-0']);
  expect(await offer(MINE)).toBe('gpus-of-box/gpu/GPU-0');
  await withdrawOwnGpus(bench.db, MINE);
  expect(await lentBy(name)).toEqual([]);
  expect(await stateOf(name)).toBe('removed');
});

test('a restart changes neither lent nor drained slots; another machine of that name has a longer name', async () => {
  const name = await declareOwnGpus(bench.db, ownGpus(MINE));
  await probe(name, ['GPU-0']);
  await bench.store.host.drainHosts({ names: [name], drain: true });
  expect(await declareOwnGpus(bench.db, ownGpus(MINE))).toBe(name);
  expect(await declareOwnGpus(bench.db, ownGpus('box-00000002'))).toBe('gpus-of-box-00000002');
  expect(await lentBy(name)).toEqual(['GPU-0']);
  expect([await stateOf(name), await stateOf('gpus-of-box-00000002')]).toEqual(['draining', 'serving']);
});

test('a fleet.yaml neither removes own GPUs nor takes their name, and its pool gpu is served beside them', async () => {
  const name = await declareOwnGpus(bench.db, ownGpus(MINE));
  const fleet = (host: string) =>
    Fleet.parse({ pools: { gpu: { slots: 'gpu' } }, hosts: [{ name: host, pool: 'gpu' }] });
  expect(await bench.store.host.applyFleet(fleet('far'))).toMatchObject({ added: ['far'], removed: [] });
  await probe(name, ['GPU-0']);
  await probe('far', ['GPU-1']);
  expect([await lentBy(name), await lentBy('far')]).toEqual([['GPU-0'], ['GPU-1']]);
  expect(await bench.store.slot.countSlots('gpu')).toBe(2);
  await expect(bench.store.host.applyFleet(fleet(name))).rejects.toThrow(/expected another name/);
});

test('a GPU that a fleet.yaml reaches over SSH, too, is lent once', async () => {
  const name = await declareOwnGpus(bench.db, ownGpus(MINE));
  await bench.store.host.applyFleet(
    Fleet.parse({ pools: { gpu: { slots: 'gpu' } }, hosts: [{ name: 'localhost', pool: 'gpu' }] }),
  );
  await probe('localhost', ['GPU-0', 'GPU-1']);
  await probe(name, ['GPU-0', 'GPU-1', 'GPU-2']);
  expect([await lentBy('localhost'), await lentBy(name)]).toEqual([['GPU-0', 'GPU-1'], ['GPU-2']]);
  // Each probe finds the same GPUs again.
  await probe('localhost', ['GPU-0', 'GPU-1', 'GPU-2']);
  expect([await lentBy('localhost'), await lentBy(name)]).toEqual([['GPU-0', 'GPU-1'], ['GPU-2']]);
});
