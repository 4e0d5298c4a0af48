import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createMonitorActivities } from '../../../activities/monitor.ts';
import { REBOOTED, TALK_KILLED } from '../../../activities/monitor/shortage.ts';
import { createScoreActivities, createScoreTrial } from '../../../activities/score.ts';
import { createScorePlaces } from '../../../activities/score/at-once.ts';
import { trials } from '../../../db/schema.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import type { FailedRun } from '../../../domain/fleet/gpus.ts';
import { HostUnreachableError, HostUnusableError, SlotTakenError, TalkReplacedError } from '../../../infra/compute.ts';
import type { Compute, RunEnd } from '../../../infra/compute.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { createEvaluator } from '../../../infra/evaluate/run.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { faultOf } from '../../../workers/fleet/fault-of.ts';
import { insertSlots, useDatabase } from '../../db/queries/support.ts';
import { bytes, LIMITS } from '../../infra/compute/conformance/support.ts';
import { insertKnownRuns, insertLaunched } from '../monitor/support/known-runs.ts';

const bench = useDatabase();
let home: string;
let compute: Compute;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'perpetua-machine-failed-'));
  compute = createLocalCompute({ home, installation: 'machine-failed' });
  await compute.stage('s', [{ path: 'train.mjs', content: bytes('') }]);
  const fleet = { pools: { box: { slots: 'gpu' } }, hosts: [{ name: 'box', pool: 'box' }] };
  await bench.store.applyFleet(Fleet.parse(fleet));
  await insertSlots(bench.db, 'box', 20);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const GONE = 'Unable to determine the device handle for GPU';
const CUDA = 'read -r n; echo "CUDA error: GPU is lost" >&2; exit 1';
/** Blames the candidate where its answers end. */
const ASKS = 'echo 1; read -r line || exit 3; echo "{\\"loss\\": $line}" >&3';

/** An ended run of the real supervisor, whose task's evaluator asks it, and workers that score it where `lacks` is so by now. */
async function ended(id: string, { answer = CUDA, command = ASKS } = {}) {
  const { store } = bench;
  await bench.db.execute(`update hosts set quarantined_until = null`);
  await insertKnownRuns(bench.db, id, { known: 3, evaluator: { type: 'interactive', command, answer } });
  const key = await insertLaunched(bench.db, id, { kind: 'search', host: 'box', fence: 0 });
  const slotId = (await store.offerSlot({ pool: 'box', host: 'box', holder: 'w' })) ?? '';
  const lease = await store.leaseSlot({ trialId: key.trialId, slotId, holder: 'w' });
  if (!lease) throw new Error('Expected a lease');
  await store.beginRun({ ...key, lease });
  const { fence, index } = lease;
  const run = { ...key, fence, slot: { id: slotId, pool: 'box', index, gpu: null }, stageHash: 's', files: [] };
  await compute.launch({ ...run, command: 'true', env: {}, limits: LIMITS, sandbox: 'preferred' });
  const looks: (FailedRun | null)[] = [];
  const worker = (lacks: string | null, more: Record<string, unknown> = {}) => {
    const deps = {
      store: { ...store, findLease: async () => ({ ...lease, gpu: 'GPU-0' }) },
      shortageOf: async (_: string, of: FailedRun | null) => (looks.push(of), lacks),
      ...{ computeOf: () => compute, isOwnHost: () => false, hostFault: faultOf, isRunGone: () => false },
      isTaken: (error: unknown) => error instanceof SlotTakenError,
      ...{ evaluator: createEvaluator({ home }), evaluatorSeed: () => 1, environment: {}, envOf: () => ({}) },
      ...{ withinTime, reach: () => undefined },
      ...more,
    } as unknown as ActivityDeps;
    const { monitor } = createMonitorActivities(deps, createScorePlaces(1));
    const { score } = createScoreActivities(deps);
    return {
      toEnd: () => new MockActivityEnvironment().run(monitor, key),
      follow: () => new MockActivityEnvironment().run(monitor, { ...key, score: true }),
      score: () => new MockActivityEnvironment().run(score, key),
      /** As the attempt of that number that follows it. */
      scoreAs: (follower: number) =>
        new MockActivityEnvironment().run(() =>
          createScoreTrial(deps)({ ...key, follower }, new AbortController().signal),
        ),
    };
  };
  const kept = async () => {
    const [trial] = await bench.db.select().from(trials).where(eq(trials.id, key.trialId));
    const found = await store.findRun(key);
    return { status: trial?.status ?? null, failure: trial?.failure ?? null, shortage: found?.shortage ?? null };
  };
  const box = async () => (await store.findHosts())[0];
  expect(await worker(null).toEnd()).toEqual({ state: 'ended' });
  return { key, lease, worker, looks, kept, box };
}

/** A host on which programs that answer come to another end than theirs. */
const talksThat = (come: (end: Promise<RunEnd>) => Promise<RunEnd>) => ({
  computeOf: () => ({
    ...compute,
    converse: async (...of: Parameters<Compute['converse']>) => {
      const talk = await compute.converse(...of);
      return { ...talk, ended: come(talk.ended) };
    },
  }),
});

/** Where the evaluation is over a moment before the program's end, it is ended by us. */
function killedByNobody(end: RunEnd): RunEnd {
  const killed: RunEnd = { ...end, reason: 'killed' };
  delete killed.endedBy;
  return killed;
}

const LOST = { type: 'HostLost', nonRetryable: true };
const nothing = { status: null, failure: null };

describe('what answers an evaluator and fails', () => {
  test('is not the candidate where its GPU is gone: the run is lost, its slot free, its host taken out', async () => {
    const { key, worker, looks, kept, box } = await ended('gone');
    const { follow, score } = worker(GONE);
    // As a workflow of any version asks.
    expect(await follow()).toEqual({ state: 'ended' });
    expect(await kept()).toEqual({ ...nothing, shortage: GONE });
    await expect(score()).rejects.toMatchObject(LOST);
    expect(looks[0]).toMatchObject({ gpu: 'GPU-0', began: expect.any(Number) as number });
    expect(await bench.store.findLease(key.trialId)).toBeUndefined();
    expect(await box()).toMatchObject({ quarantinedUntil: expect.any(Date) as Date, lastError: GONE });
    expect(await compute.inspect(key)).toEqual({ state: 'absent' });
    // Whatever is there by now: decided is decided.
    await expect(worker(null).score()).rejects.toMatchObject(LOST);
    expect(await worker(null).follow()).toEqual({ state: 'lost' });
    expect(await kept()).toEqual({ ...nothing, shortage: GONE });
  });

  test('is the candidate where nothing is wrong with its machine', async () => {
    const { worker, looks, kept } = await ended('sound');
    expect(await worker(null).follow()).toMatchObject({ state: 'scored', ended: { status: 'crashed' } });
    expect(looks).toHaveLength(1);
    expect(await kept()).toEqual({ status: 'crashed', failure: 'candidate-protocol', shortage: null });
  });

  test.each([
    ['took more than it may', 'yes flood >&2', 'output-limit', 'crashed'],
    ['answered well', 'read -r n; echo 2; exit 1', null, 'completed'],
  ])('is not looked for at its machine where it %s', async (_, answer, failure, status) => {
    const { worker, looks, kept } = await ended(`own-${status}`, { answer });
    expect(await worker(GONE).score().catch(String)).toMatchObject({ status });
    expect(looks).toEqual([]);
    expect(await kept()).toEqual({ status, failure, shortage: null });
  });

  test('is not the candidate where this machine has no room left', async () => {
    const { worker, kept } = await ended('no-room', { answer: 'read -r n; exit 1' });
    const full = {
      isOwnHost: () => true,
      freeDisk: () => Promise.resolve({ bytes: 3 * 1024 * 1024, files: null }),
    };
    await expect(worker(null, full).score()).rejects.toMatchObject(LOST);
    expect(await kept()).toEqual({ ...nothing, shortage: expect.stringContaining('disk: 3 MiB free') as string });
  });

  test('is not the candidate where its host was booted before anybody asked for its end: that goes on', async () => {
    const { worker, looks, kept, box } = await ended('booted');
    const booted = talksThat(async (end) => ({ ...(await end), rebooted: true }));
    await expect(worker(null, booted).score()).rejects.toMatchObject(LOST);
    // Of its disk alone, which it may have filled.
    expect(looks).toEqual([null]);
    expect(await kept()).toEqual({ ...nothing, shortage: REBOOTED });
    expect(await box()).toMatchObject({ quarantinedUntil: null });
  });

  test.each<[string, string, (end: Promise<RunEnd>) => Promise<RunEnd>]>([
    ['left no end', 'kill', (end) => end.then(() => Promise.reject(new Error('no end')))],
    ['was told to end, though not by us', 'term', async (end) => killedByNobody(await end)],
  ])('is not the candidate where its supervisor %s: the host is suspected, as for a run', async (_, id, come) => {
    const { worker, kept, box } = await ended(`killed-${id}`);
    await bench.db.execute(`update hosts set failures = 0`);
    await expect(worker(null, talksThat(come)).score()).rejects.toMatchObject(LOST);
    expect(await kept()).toEqual({ ...nothing, shortage: TALK_KILLED });
    expect(await box()).toMatchObject({ quarantinedUntil: null, failures: 1 });
  });

  test('is not the candidate where it happens again: the host rests, though the runs themselves ended well there', async () => {
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

  describe('and was cut off', () => {
    const lost = new HostUnreachableError('box', 'closed', { message: 'the connection was lost' });
    const cut = talksThat((end) => end.then(() => Promise.reject(lost)));
    const away = {
      ...{ hostAnswers: () => false, heardSecondsAgo: () => 1, lostAfter: () => 600 },
      computeOf: () => ({ ...cut.computeOf(), inspect: () => Promise.reject(lost) }),
    };

    test('is asked again twice, at no cost to a host that answers; the third time its run is lost, the host suspected', async () => {
      const { worker, kept, box } = await ended('cut');
      await bench.db.execute(`update hosts set failures = 0`);
      // By whoever follows it, too.
      expect(await worker(null, cut).follow()).toEqual({ state: 'ended' });
      await expect(worker(null, cut).score()).rejects.toMatchObject({ type: 'CutOff', nonRetryable: false });
      expect(await kept()).toEqual({ ...nothing, shortage: null });
      expect(await box()).toMatchObject({ quarantinedUntil: null, failures: 0 });
      await expect(worker(null, cut).score()).rejects.toMatchObject(LOST);
      expect(await kept()).toEqual({ ...nothing, shortage: TALK_KILLED });
      expect(await box()).toMatchObject({ quarantinedUntil: null, failures: 1 });
    });

    test('twice by an outage is scored by what it answers then', async () => {
      const { worker, kept, box } = await ended('cut-twice', { answer: 'read -r n; echo 2' });
      await expect(worker(null, away).score()).rejects.toMatchObject({ type: 'HostAway' });
      expect(await box()).toMatchObject({ quarantinedUntil: expect.any(Date) as Date });
      await expect(worker(null, away).score()).rejects.toMatchObject({ type: 'HostAway' });
      await worker(null).score();
      expect(await kept()).toEqual({ status: 'completed', failure: null, shortage: null });
    });

    test.each([
      [
        'whose end is left out again and again, though it cannot do that',
        'no-end',
        new HostUnusableError('box', 'no end'),
      ],
      ['that gives way to another again and again', 'replaced', new TalkReplacedError('box', { trialId: 'r' })],
    ])('%s is lost, too', async (_, id, error) => {
      const { worker, kept } = await ended(`cut-${id}`);
      const more = { ...away, ...talksThat((end) => end.then(() => Promise.reject(error))) };
      for (const type of ['CutOff', 'CutOff', 'HostLost'])
        await expect(worker(null, more).score()).rejects.toMatchObject({ type });
      expect(await kept()).toEqual({ ...nothing, shortage: TALK_KILLED });
    });
  });

  test('that ended with no end of its own is not the candidate where its GPU is gone: the host is taken out', async () => {
    const { worker, kept, box } = await ended('killed-gone');
    const killed = talksThat((end) => end.then(() => Promise.reject(new Error('no end'))));
    await expect(worker(GONE, killed).score()).rejects.toMatchObject(LOST);
    expect((await kept()).shortage).toBe(GONE);
    expect(await box()).toMatchObject({ quarantinedUntil: expect.any(Date) as Date });
  });

  test('is not the candidate where another installation has taken its GPU: that slot alone waits for a look', async () => {
    const { lease, worker, kept, box } = await ended('taken');
    const taken = {
      ...compute,
      converse: () => Promise.reject(new SlotTakenError('host box: GPU-0 is held by another installation')),
    };
    await expect(worker(null, { computeOf: () => taken }).score()).rejects.toMatchObject(LOST);
    expect((await kept()).shortage).toBe('in use by others: GPU-0 is held by another installation');
    expect(await box()).toMatchObject({ quarantinedUntil: null });
    const slots = await bench.db.execute<{ wanted: boolean }>(`select wanted from slots where id = '${lease.id}'`);
    expect(slots.rows).toEqual([{ wanted: false }]);
  });
});

describe('an attempt that slept', () => {
  test('stores no outcome where another one found that the machine had failed the run', async () => {
    const { worker, kept } = await ended('slept');
    let wake = (): void => undefined;
    let asleep = (): void => undefined;
    const sleeps = new Promise<void>((resolve) => (asleep = resolve));
    const awake = new Promise<void>((resolve) => (wake = resolve));
    const late = async () => (asleep(), await awake, null);
    const old = worker(null, { shortageOf: late }).score();
    await sleeps;
    await expect(worker(GONE).score()).rejects.toMatchObject(LOST);
    wake();
    await expect(old).rejects.toThrow('nothing was stored');
    expect(await kept()).toEqual({ ...nothing, shortage: GONE });
  });

  test('finds nothing where a newer one follows the run', async () => {
    const { key, worker, kept } = await ended('fenced');
    const look = async () => (await bench.store.takeOver(key), GONE);
    await expect(worker(null, { shortageOf: look }).score()).rejects.toMatchObject({ type: 'Fenced' });
    expect(await kept()).toEqual({ ...nothing, shortage: null });
  });

  test('asks nothing of a run that a newer one follows by then', async () => {
    const { key, worker, looks, kept } = await ended('behind');
    const { follower = 0 } = (await bench.store.takeOver(key)) ?? {};
    let asked = 0;
    const asking = {
      ...compute,
      converse: (...of: Parameters<Compute['converse']>) => ((asked += 1), compute.converse(...of)),
    };
    const { scoreAs } = worker(GONE, { computeOf: () => asking });
    await expect(scoreAs(follower - 1)).rejects.toMatchObject({ type: 'Fenced' });
    expect([asked, looks]).toEqual([0, []]);
    expect(await kept()).toEqual({ ...nothing, shortage: null });
    await expect(scoreAs(follower)).rejects.toMatchObject(LOST);
    expect(asked).toBe(1);
  });
});
