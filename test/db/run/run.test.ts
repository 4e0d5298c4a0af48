import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { artefacts, points, researches, runs, trials } from '../../../db/schema.ts';
import { insertReadyTrial, useDatabase } from '../support.ts';

const bench = useDatabase();

/** Launches the run of a trial on a leased slot. */
async function launched(id: string) {
  const trialId = await insertReadyTrial(bench.db, id, 2);
  const lease = await leaseFor(id, trialId);
  const key = { jobId: trialId, placement: 0 };
  await bench.store.run.beginRun({ ...key, lease });
  await bench.store.run.markLaunched({ ...key, fence: lease.fence });
  return { key, lease };
}

async function leaseFor(pool: string, trialId: string) {
  const slotId = (await bench.store.slot.offerSlot({ pool, host: pool, holder: 'w' })) ?? '';
  const lease = await bench.store.slot.leaseSlot({ jobId: trialId, slotId, holder: 'w' });
  if (!lease) throw new Error(`expected a free slot in ${pool}`);
  return lease;
}

const point = (seq: number, value = 1) => ({ seq, step: seq, elapsed: seq, value });
const batch = (from: number, end: number, ...saved: ReturnType<typeof point>[]) => ({
  from,
  to: end,
  reader: { at: end },
  points: saved,
});
const stored = (trialId: string) => bench.db.select().from(points).where(eq(points.jobId, trialId)).orderBy(points.seq);
const ending = { end: { reason: 'exit' }, logTail: 'done\0', seconds: 2 };

describe('a run', () => {
  test('keeps the machine that its host reported at the beginning, with its own GPUs', async () => {
    const { store } = bench;
    const fleet = Fleet.parse({ pools: { cards: { slots: 'gpu' } }, hosts: [{ name: 'cards', pool: 'cards' }] });
    const host = { name: 'cards', pool: 'cards', spec: fleet.hosts[0]!, poolSpec: fleet.pools.cards! };
    const gpus = ['A', 'B'].map((name, index) => ({
      index,
      uuid: `GPU-${name}`,
      name: `Card ${name}`,
      memoryMb: 81_920,
    }));
    const slots = [{ key: 'GPU-B', index: 0, gpu: 'GPU-B' }];
    const probe = (cores: number) =>
      store.host.recordGoodProbe({ host, note: null, slots, facts: { cores, memoryMb: 8192, gpus } });
    const trialId = await insertReadyTrial(bench.db, 'cards', 0);
    await store.host.applyFleet(fleet);
    await probe(8);
    const key = { jobId: trialId, placement: 0 };
    await store.run.beginRun({ ...key, lease: await leaseFor('cards', trialId) });
    await probe(16);
    expect(await store.run.findRun(key)).toMatchObject({ machine: { cores: 8, memoryMb: 8192, gpus: [gpus[1]] } });
    const { key: local } = await launched('of-the-worker');
    expect(await store.run.findRun(local)).toMatchObject({ machine: null });
  });

  test('is begun and launched once, however often that is repeated', async () => {
    const { key, lease } = await launched('begun');
    const before = await bench.store.run.findRun(key);
    await bench.store.run.beginRun({ ...key, lease });
    await bench.store.run.markLaunched({ ...key, fence: lease.fence });
    expect(await bench.store.run.findRun(key)).toEqual(before);
    expect(await bench.db.select().from(runs).where(eq(runs.jobId, key.jobId))).toHaveLength(1);
  });

  test('begins with the count of trials that ended since its proposal, which a second placement keeps', async () => {
    const trialId = await insertReadyTrial(bench.db, 'stale-by', 2);
    // One trial had ended at its proposal, and three have ended now.
    await bench.db.update(trials).set({ contextEnded: 1 }).where(eq(trials.id, trialId));
    const endedAre = (n: number) =>
      bench.db
        .update(researches)
        .set({ lastN: n + 1 })
        .where(eq(researches.id, 'stale-by'));
    await endedAre(3);
    const staleness = async () => (await bench.store.trial.loadTrial(trialId)).staleness;
    expect(await staleness()).toBeNull();
    const key = { jobId: trialId, placement: 0 };
    await bench.store.run.beginRun({ ...key, lease: await leaseFor('stale-by', trialId) });
    expect(await staleness()).toBe(2);
    await bench.store.run.freeSlotOfPlacement(key);
    await endedAre(5);
    await bench.store.run.beginRun({ jobId: trialId, placement: 1, lease: await leaseFor('stale-by', trialId) });
    expect(await staleness()).toBe(2);
  });

  test('is not changed by an older lease', async () => {
    const { key, lease } = await launched('older');
    const older = { ...lease, id: 'older/1', fence: lease.fence - 1 };
    expect(await bench.store.run.beginRun({ ...key, lease: older })).toBe(false);
    expect(await bench.store.run.findRun(key)).toMatchObject({ slotId: lease.id, fence: lease.fence });
  });

  test('stores points with the offset up to which they were read, even if they are not finite', async () => {
    const { key } = await launched('points');
    const run = await bench.store.run.becomeFollower(key);
    const by = { ...key, follower: run?.follower ?? -1 };
    expect(await bench.store.run.saveProgress({ ...by, ...batch(0, 10, point(0), point(1, Number.NaN)) })).toBe(true);
    expect(await bench.store.run.saveProgress({ ...by, ...batch(10, 20, point(2, -Infinity)) })).toBe(true);
    expect((await stored(key.jobId)).map(({ value }) => value)).toEqual([1, Number.NaN, -Infinity]);
    expect(await bench.store.run.findRun(key)).toMatchObject({ logOffset: 20, reader: { at: 20 } });
  });

  test('refuses a batch that is stored already', async () => {
    const { key } = await launched('twice');
    const run = await bench.store.run.becomeFollower(key);
    const by = { ...key, follower: run?.follower ?? -1 };
    expect(await bench.store.run.saveProgress({ ...by, ...batch(0, 10, point(0)) })).toBe(true);
    expect(await bench.store.run.saveProgress({ ...by, ...batch(0, 10, point(1)) })).toBe(false);
    expect(await stored(key.jobId)).toHaveLength(1);
  });

  test('accepts nothing from a follower that another one has replaced: no point, no decision, no end', async () => {
    const { key } = await launched('stale');
    const old = await bench.store.run.becomeFollower(key);
    const by = { ...key, follower: old?.follower ?? -1 };
    await bench.store.run.saveProgress({ ...by, ...batch(0, 10, point(0)) });
    const next = await bench.another().run.becomeFollower(key);
    expect(next).toMatchObject({ logOffset: 10, follower: by.follower + 1 });
    const stop = { label: 'diverged' as const, message: 'too large' };
    expect(await bench.store.run.saveProgress({ ...by, ...batch(10, 20, point(1)) })).toBe(false);
    expect(await bench.store.run.saveStop({ ...by, stop })).toBeUndefined();
    expect(await bench.store.run.saveRunEnd({ ...by, ...ending, artefacts: [] })).toBe(false);
    expect(next).toMatchObject((await bench.store.run.findRun(key)) ?? {});
    expect(await stored(key.jobId)).toHaveLength(1);
  });

  test('is stopped for the first reason', async () => {
    const { key } = await launched('decided');
    const run = await bench.store.run.becomeFollower(key);
    const by = { ...key, follower: run?.follower ?? -1 };
    const first = { label: 'diverged' as const, message: 'too large' };
    expect(await bench.store.run.saveStop({ ...by, stop: first })).toEqual(first);
    expect(await bench.store.run.saveStop({ ...by, stop: { label: 'stalled', message: 'silent' } })).toEqual(first);
  });

  test('keeps its first end if `first` is set', async () => {
    const { key } = await launched('ended-once');
    const run = await bench.store.run.becomeFollower(key);
    const ended = { ...key, follower: run?.follower ?? -1, ...ending, artefacts: [], first: true };
    await bench.store.run.closeRun(key);
    const closed = await bench.store.run.findRun(key);
    expect(await bench.store.run.saveRunEnd(ended)).toBe(true);
    expect(await bench.store.run.saveRunEnd({ ...ended, logTail: 'later' })).toBe(false);
    expect(await bench.store.run.findRun(key)).toEqual({ ...closed, end: ending.end, logTail: 'done\uFFFD' });
  });

  test('ends once with its artefacts, even if the end is stored again', async () => {
    const { key } = await launched('ended');
    const run = await bench.store.run.becomeFollower(key);
    const left = [{ path: 'out.txt', content: new TextEncoder().encode('5') }];
    const ended = { ...key, follower: run?.follower ?? -1, ...ending, artefacts: left };
    expect(await bench.store.run.saveRunEnd(ended)).toBe(true);
    expect(await bench.store.run.findRun(key)).toMatchObject({ logTail: 'done\uFFFD', stdoutTail: null });
    expect(await bench.store.run.saveRunEnd({ ...ended, stdoutTail: 'loss: 1\0' })).toBe(true);
    expect(await bench.store.run.findRun(key)).toMatchObject({ end: ending.end, stdoutTail: 'loss: 1\uFFFD' });
    expect(await bench.db.select().from(artefacts).where(eq(artefacts.jobId, key.jobId))).toHaveLength(1);
  });

  test('that is lost ends when its slot is freed, and an older fence frees nothing', async () => {
    const { key, lease } = await launched('closed');
    await bench.store.run.freeSlotOfPlacement(key);
    const closed = await bench.store.run.findRun(key);
    expect(closed?.endedAt).toBeInstanceOf(Date);
    expect(await bench.store.slot.findLease(key.jobId)).toBeUndefined();
    const next = await leaseFor('closed', key.jobId);
    // The slot that was free for longest comes first, so the new lease may be on either slot. Its fence is new.
    await bench.store.run.beginRun({ ...key, placement: 1, lease: next });
    if (next.id === lease.id) await bench.store.run.freeSlotOfPlacement(key);
    expect(await bench.store.slot.findLease(key.jobId)).toMatchObject({ id: next.id });
    expect((await bench.store.run.findRun(key))?.endedAt).toEqual(closed?.endedAt);
  });
});
