import { describe, expect, test } from 'vitest';
import { SlotTakenError, type Compute, type RunEnd } from '../../../infra/compute.ts';
import { LOST, nothing, useAsked } from './support/asked.ts';

const { bench, ended, talksThat, computeOfBox } = useAsked();

const REBOOTED = 'the machine rebooted during the run';
const TALK_KILLED = 'somebody killed the answering program, the program that watches it, or the connection to it';
const GONE = 'Unable to determine the device handle for GPU';

/** Removes `endedBy`, which is set if the evaluation is over a moment before the program's end. */
function killedByNobody(end: RunEnd): RunEnd {
  const killed: RunEnd = { ...end, reason: 'killed' };
  delete killed.endedBy;
  return killed;
}

describe('a failure of a program that answers an evaluator', () => {
  test("is not the candidate's if its GPU is gone: the run is lost, its slot free, its host quarantined", async () => {
    const { key, worker, looks, kept, box } = await ended('gone');
    const { follow, score } = worker(GONE);
    // Workflows of all versions call both.
    expect(await follow()).toEqual({ state: 'ended' });
    expect(await kept()).toEqual({ ...nothing, shortage: GONE });
    await expect(score()).rejects.toMatchObject(LOST);
    expect(looks[0]).toMatchObject({ gpu: 'GPU-0', began: expect.any(Number) as number });
    expect(await bench.store.slot.findLease(key.jobId)).toBeUndefined();
    expect(await box()).toMatchObject({ quarantinedUntil: expect.any(Date) as Date, lastError: GONE });
    expect(await computeOfBox().inspect(key)).toEqual({ state: 'absent' });
    // The decision stands, whatever the machine reports by now.
    await expect(worker(null).score()).rejects.toMatchObject(LOST);
    expect(await worker(null).follow()).toEqual({ state: 'lost' });
    expect(await kept()).toEqual({ ...nothing, shortage: GONE });
  });

  test("is the candidate's if nothing is wrong with its machine", async () => {
    const { worker, looks, kept } = await ended('sound');
    expect(await worker(null).follow()).toMatchObject({ state: 'scored', ended: { status: 'crashed' } });
    expect(looks).toHaveLength(1);
    expect(await kept()).toEqual({ status: 'crashed', failure: 'candidate-protocol', shortage: null });
  });

  test.each([
    ['took more than it may', 'yes flood >&2', 'output-limit', 'crashed'],
    ['answered well', 'read -r n; echo 2; exit 1', null, 'completed'],
  ])('brings no question to its machine if the program %s', async (_, answer, failure, status) => {
    const { worker, looks, kept } = await ended(`own-${status}`, { answer });
    expect(await worker(GONE).score().catch(String)).toMatchObject({ status });
    expect(looks).toEqual([]);
    expect(await kept()).toEqual({ status, failure, shortage: null });
  });

  test("is not the candidate's if this machine has no room left", async () => {
    const { worker, kept } = await ended('no-room', { answer: 'read -r n; exit 1' });
    const full = {
      hosts: { isOwnHost: () => true },
      machine: { freeDisk: () => Promise.resolve({ bytes: 3 * 1024 * 1024, files: null }) },
    };
    await expect(worker(null, full).score()).rejects.toMatchObject(LOST);
    expect(await kept()).toEqual({ ...nothing, shortage: expect.stringContaining('disk: 3 MiB free') as string });
  });

  test("is not the candidate's if its host was rebooted before its end was read, and the host serves", async () => {
    const { worker, looks, kept, box } = await ended('booted');
    const booted = talksThat(async (end) => ({ ...(await end), rebooted: true }));
    await expect(worker(null, booted).score()).rejects.toMatchObject(LOST);
    expect(looks).toEqual([]);
    expect(await kept()).toEqual({ ...nothing, shortage: REBOOTED });
    expect(await box()).toMatchObject({ quarantinedUntil: null });
  });

  test.each<[string, string, (end: Promise<RunEnd>) => Promise<RunEnd>]>([
    ['left no end', 'kill', (end) => end.then(() => Promise.reject(new Error('no end')))],
    ['got a signal to end, though not by us', 'term', async (end) => killedByNobody(await end)],
  ])("is not the candidate's if its supervisor %s: the host is suspected, as for a run", async (_, id, come) => {
    const { worker, kept, box } = await ended(`killed-${id}`);
    await bench.db.execute(`update hosts set failures = 0`);
    await expect(worker(null, talksThat(come)).score()).rejects.toMatchObject(LOST);
    expect(await kept()).toEqual({ ...nothing, shortage: TALK_KILLED });
    expect(await box()).toMatchObject({ quarantinedUntil: null, failures: 1 });
  });

  test("is not the candidate's if it happens again: the host rests, though runs ended well there", async () => {
    const killed = talksThat((end) => end.then(() => Promise.reject(new Error('no end'))));
    const first = await ended('killed-first');
    await bench.db.execute(`update hosts set failures = 0`);
    await expect(first.worker(null, killed).score()).rejects.toMatchObject(LOST);
    const second = await ended('killed-second');
    expect(await second.worker(null, killed).follow()).toEqual({ state: 'ended' });
    expect(await second.box()).toMatchObject({ quarantinedUntil: expect.any(Date) as Date });
    const third = await ended('answers', { answer: 'read -r n; echo 2' });
    expect(await third.worker(null).follow()).toMatchObject({ state: 'scored', ended: { status: 'completed' } });
    expect(await third.box()).toMatchObject({ failures: 0 });
  });

  test("without an end is not the candidate's if its GPU is gone: the host is quarantined", async () => {
    const { worker, kept, box } = await ended('killed-gone');
    const killed = talksThat((end) => end.then(() => Promise.reject(new Error('no end'))));
    await expect(worker(GONE, killed).score()).rejects.toMatchObject(LOST);
    expect((await kept()).shortage).toBe(GONE);
    expect(await box()).toMatchObject({ quarantinedUntil: expect.any(Date) as Date });
  });

  test("is not the candidate's if another installation took its GPU: only that slot waits for a probe", async () => {
    const { lease, worker, kept, box } = await ended('taken');
    const taken = {
      ...computeOfBox(),
      converse: () => Promise.reject(new SlotTakenError('host box: GPU-0 is held by another installation')),
    };
    await expect(
      worker(null, {
        hosts: { computeOf: () => taken },
      }).score(),
    ).rejects.toMatchObject(LOST);
    expect((await kept()).shortage).toBe('in use by others: GPU-0 is held by another installation');
    expect(await box()).toMatchObject({ quarantinedUntil: null });
    const slots = await bench.db.execute<{ wanted: boolean }>(`select wanted from slots where id = '${lease.id}'`);
    expect(slots.rows).toEqual([{ wanted: false }]);
  });
});

describe('an attempt that slept', () => {
  test('stores no outcome if another one found that the machine had failed the run', async () => {
    const { worker, kept } = await ended('slept');
    let wake = (): void => undefined;
    let asleep = (): void => undefined;
    const sleeps = new Promise<void>((resolve) => (asleep = resolve));
    const awake = new Promise<void>((resolve) => (wake = resolve));
    const late = async () => (asleep(), await awake, null);
    const old = worker(null, { hosts: { shortageOf: late } }).score();
    await sleeps;
    await expect(worker(GONE).score()).rejects.toMatchObject(LOST);
    wake();
    await expect(old).rejects.toThrow('nothing was stored');
    expect(await kept()).toEqual({ ...nothing, shortage: GONE });
  });

  test('finds nothing if a newer attempt follows the run', async () => {
    const { key, worker, kept } = await ended('fenced');
    const shortageOf = async () => (await bench.store.run.becomeFollower(key), GONE);
    await expect(worker(null, { hosts: { shortageOf } }).score()).rejects.toMatchObject({ type: 'Fenced' });
    expect(await kept()).toEqual({ ...nothing, shortage: null });
  });

  test('asks nothing of a run that a newer attempt already follows', async () => {
    const { key, worker, looks, kept } = await ended('behind');
    const { follower = 0 } = (await bench.store.run.becomeFollower(key)) ?? {};
    let asked = 0;
    const asking = {
      ...computeOfBox(),
      converse: (...args: Parameters<Compute['converse']>) => ((asked += 1), computeOfBox().converse(...args)),
    };
    const { scoreAs } = worker(GONE, {
      hosts: { computeOf: () => asking },
    });
    await expect(scoreAs(follower - 1)).rejects.toMatchObject({ type: 'Fenced' });
    expect([asked, looks]).toEqual([0, []]);
    expect(await kept()).toEqual({ ...nothing, shortage: null });
    await expect(scoreAs(follower)).rejects.toMatchObject(LOST);
    expect(asked).toBe(1);
  });
});
