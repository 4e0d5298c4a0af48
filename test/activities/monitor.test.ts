import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createMonitorActivities, type MonitorInput, type MonitorResult } from '../../activities/monitor.ts';
import { createScorePlaces, type ScorePlaces } from '../../activities/score/score-in-monitor.ts';
import { points } from '../../db/schema.ts';
import type { Store } from '../../db/store.ts';
import { fallingTo } from '../domain/abort/support.ts';
import { withinTime } from '../../infra/within-time.ts';
import { useDatabase } from '../db/support.ts';
import { followsIn } from './monitor/support/follow.ts';
import { scriptedHost } from './monitor/support/host.ts';
import { insertKnownRuns, insertLaunched, linesOf, STEP_SECONDS, timesOf } from './monitor/support/known-runs.ts';

const bench = useDatabase();

const { follow, curveOf, untilCommitted, stopOf } = followsIn(bench);

describe('a run that has ended', () => {
  /** Follows with places to score, if any, by an evaluator that measures 3; `asked` counts its calls. */
  function scoring(more: { hosts: object; scoring?: object }, places: ScorePlaces | null = createScorePlaces(1)) {
    let asked = 0;
    const evaluate = (): Promise<unknown> => {
      asked += 1;
      return Promise.resolve({ ok: true, evaluation: { metrics: { loss: 3 }, notes: null, seconds: 1 } });
    };
    const { monitor } = createMonitorActivities(
      {
        store: bench.store,
        scoring: {
          withinTime,
          evaluator: { evaluate, findCode: async () => null },
          hmac: () => '00000001',
          ...more.scoring,
        },
        reach: () => undefined,
        hosts: { isOwnHost: () => true, ...more.hosts },
        machine: { freeDisk: () => Promise.resolve({ bytes: 2 ** 40, files: null }) },
      } as unknown as ActivityDeps,
      places,
    );
    const follow = (key: MonitorInput): Promise<MonitorResult> => new MockActivityEnvironment().run(monitor, key);
    return { follow, asked: () => asked };
  }

  async function ended(id: string) {
    await insertKnownRuns(bench.db, id, { steps: 100 });
    const host = scriptedHost();
    host.end();
    return { key: await insertLaunched(bench.db, id, { kind: 'search' }), host };
  }

  test('is scored where it was followed, if that worker scores, and by it only once', async () => {
    const { key, host } = await ended('scored');
    const follower = scoring({ hosts: { computeOf: () => host.compute } }, null);
    expect(await follower.follow(key)).toEqual({ state: 'ended' });
    expect(follower.asked()).toBe(0);
    const { follow: followed, asked } = scoring({ hosts: { computeOf: () => host.compute } });
    const scored = await followed(key);
    expect(scored).toMatchObject({ state: 'scored', ended: { n: 100, status: 'completed' } });
    expect(await followed(key)).toEqual(scored);
    expect(asked()).toBe(1);
  });

  test('is scored by an attempt that no longer knows its host', async () => {
    const { key, host } = await ended('hostless');
    expect(await scoring({ hosts: { computeOf: () => host.compute } }, null).follow(key)).toEqual({ state: 'ended' });
    const computeOf = (): never => {
      throw new Error('expected a host of the fleet');
    };
    expect(await scoring({ hosts: { computeOf } }).follow(key)).toMatchObject({
      state: 'scored',
      ended: { status: 'completed' },
    });
  });

  test('is left to be scored if the evaluator fails to run', async () => {
    const { key, host } = await ended('unscored');
    const evaluate = (): Promise<never> => Promise.reject(new Error('no room on the disk'));
    const { follow: followed } = scoring({
      hosts: { computeOf: () => host.compute },
      scoring: { evaluator: { evaluate, findCode: async () => null } },
    });
    expect(await followed(key)).toEqual({ state: 'ended' });
  });
});

/** Follows a run again. Its first `read` steps were read as they came, and those up to step 25 are read late. */
async function reattached(id: string, final: number, how: { steps?: number; shares?: boolean; read?: number } = {}) {
  const { read = 5 } = how;
  await insertKnownRuns(bench.db, id, how);
  const logOffset = linesOf(final, 1, read).join('\n').length + 1;
  const reader = { seq: read, rules: { first: final, above: 0, broken: null }, read: read * STEP_SECONDS };
  const key = await insertLaunched(bench.db, id, { kind: 'search', ago: 25 * STEP_SECONDS, logOffset, reader });
  const before = fallingTo(final, { until: read });
  await bench.db.insert(points).values(before.map((point, seq) => ({ ...key, ...point, ...timesOf(point), seq })));
  const host = scriptedHost();
  host.print(linesOf(final, read + 1, 25), { late: true });
  return { key, host, following: follow(host, key) };
}

describe('a run that nobody followed for a while', () => {
  test('is not judged by lines whose time is unknown', async () => {
    const { key, host, following } = await reattached('gap', 0.9);
    host.print(linesOf(0.9, 26, 26));
    await untilCommitted(key, 26);
    host.end();
    expect(await following).toEqual({ state: 'ended' });
    expect(await bench.store.run.findRun(key)).toMatchObject({ stop: null, abort: null, end: { reason: 'exit' } });
    const seen = (await curveOf(key)).map(({ elapsed }) => Number.isFinite(elapsed));
    expect(seen).toEqual(Array.from({ length: 26 }, (_, i) => i < 5 || i === 25));
  });

  test('is judged by such lines if it is measured in steps', async () => {
    const { key, following } = await reattached('counted', 5, { steps: 100 });
    expect(await following).toEqual({ state: 'ended' });
    expect((await bench.store.run.findRun(key))?.abort).toMatchObject({ abort: true, share: 0.25 });
  });

  test.each([
    ['that it prints', 5],
    ['that it printed before', 25],
  ])('is judged by the shares %s', async (_, read) => {
    const { key, following } = await reattached(`shares-${read}`, 5, { shares: true, read });
    expect(await following).toEqual({ state: 'ended' });
    expect((await bench.store.run.findRun(key))?.abort).toMatchObject({ abort: true, share: 0.25 });
  });
});

describe('a worker whose clock is not the one of the database', () => {
  const HOUR = 3600;
  afterEach(() => vi.restoreAllMocks());

  test.each([
    ['ahead', HOUR],
    ['behind', -HOUR],
  ])('times lines from the launch (%s)', async (id, off) => {
    // A fiftieth of the budget is longer than this test may take, and far shorter than the clocks are apart.
    await insertKnownRuns(bench.db, id, { known: 0, budget: { seconds: HOUR } });
    const key = await insertLaunched(bench.db, id, { kind: 'search' });
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + off * 1000);
    const host = scriptedHost();
    host.print(linesOf(1, 1, 1), { late: true });
    host.end();
    await follow(host, key);
    const [elapsed] = (await curveOf(key)).map((point) => point.elapsed);
    expect(Math.abs((elapsed ?? NaN) - HOUR / 100)).toBeLessThan(HOUR / 100 + 1);
  });
});

describe('a run with planned steps', () => {
  const STEPS = 1e6;

  test('is stopped if its pace leads past its limit', async () => {
    await insertKnownRuns(bench.db, 'slow', { steps: STEPS, timeoutSeconds: 60, known: 0 });
    const key = await insertLaunched(bench.db, 'slow', { kind: 'baseline' });
    const host = scriptedHost();
    const following = follow(host, key);
    host.print([`step ${0.2 * STEPS} loss 1`, `step ${0.2 * STEPS + 1} loss 1`]);
    await untilCommitted(key, 2);
    host.print([`step ${0.2 * STEPS + 2} loss 1`]);
    expect(await following).toEqual({ state: 'ended' });
    expect(await stopOf(key)).toBe('too-slow');
  });

  test('is not too slow while other processes keep it from a CPU, which its limit does not count', async () => {
    await insertKnownRuns(bench.db, 'kept', { steps: STEPS, timeoutSeconds: 60, known: 0 });
    const key = await insertLaunched(bench.db, 'kept', { kind: 'baseline' });
    const host = scriptedHost();
    let inspected = (): void => undefined;
    const inspection = new Promise<void>((resolve) => (inspected = resolve));
    host.compute.inspect = async () => {
      setImmediate(inspected);
      return { state: 'running', waitSeconds: 30 };
    };
    const following = follow(host, key);
    host.print([`step ${0.2 * STEPS} loss 1`, `step ${0.2 * STEPS + 1} loss 1`]);
    await untilCommitted(key, 2);
    host.print([`step ${0.2 * STEPS + 2} loss 1`]);
    await inspection;
    host.end();
    expect(await following).toEqual({ state: 'ended' });
    expect(await stopOf(key)).toBeNull();
  });

  test('is not too slow if its lines were read late, or once it is through', async () => {
    await insertKnownRuns(bench.db, 'absent', { steps: STEPS, timeoutSeconds: 60, known: 0 });
    const key = await insertLaunched(bench.db, 'absent', { kind: 'baseline', ago: 600 });
    const host = scriptedHost();
    const following = follow(host, key);
    const at = (...shares: number[]): string[] => shares.map((share) => `step ${share * STEPS} loss 1`);
    host.print(at(0.2, 0.3, 0.4), { late: true });
    await untilCommitted(key, 3);
    host.print(at(0.9, 1));
    await untilCommitted(key, 5);
    host.end();
    await following;
    expect(await stopOf(key)).toBeNull();
  });
});

describe('a run whose rule never ends to learn', () => {
  const statements: Partial<Store['run']> = { findEndedCurves: () => new Promise(() => undefined) };

  test('is read, and ends, without the rule', async () => {
    await insertKnownRuns(bench.db, 'learning', { steps: 100, known: 0 });
    const key = await insertLaunched(bench.db, 'learning', { kind: 'search' });
    const host = scriptedHost();
    const following = follow(host, key, statements);
    host.print(linesOf(5, 1, 50));
    await untilCommitted(key, 50);
    host.print(linesOf(5, 51, 60));
    await untilCommitted(key, 60);
    host.end();
    expect(await following).toEqual({ state: 'ended' });
    expect(await bench.store.run.findRun(key)).toMatchObject({ abort: null, end: { reason: 'exit' } });
  });
});

describe('a run that did not have its core to itself', () => {
  const CONTENDED = { reason: 'exit', exitCode: 0, wallSeconds: 10, cpuSeconds: 1 } as const;
  const STALLED = { label: 'stalled', message: 'no line for 9 s' } as const;
  const BROKEN = { label: 'not-finite', message: 'NaN' } as const;

  test.each([
    ['is run once more', 'again', null, 9, 'contended'],
    ['is run once more if it was stopped by the clock', 'stalled', STALLED, 9, 'contended'],
    ['is not run once more if it was stopped for the values that it printed', 'decided', BROKEN, 9, 'ended'],
    ['is not run once more if it slept', 'slept', null, 0, 'ended'],
  ] as const)('%s', async (_, id, stop, waitSeconds, state) => {
    await insertKnownRuns(bench.db, id, { known: 0, budget: { kind: 'cpu' } });
    const key = await insertLaunched(bench.db, id, { kind: 'search', stop });
    const host = scriptedHost();
    host.end({ ...CONTENDED, waitSeconds });
    expect(await follow(host, key)).toEqual({ state });
  });

  test('is run once more, and says why, if the backstop ended it before it had its time, by any clock', async () => {
    for (const kind of ['wall', 'reference'] as const) {
      await insertKnownRuns(bench.db, kind, { known: 0, budget: { kind } });
      const key = await insertLaunched(bench.db, kind, { kind: 'search' });
      const host = scriptedHost();
      const times = { wallSeconds: 144, waitSeconds: 121, cpuSeconds: 4, load: { average: 11.6, cores: 2 } };
      host.end({ reason: 'wall', exitCode: null, backstop: true, ...times });
      expect(await follow(host, key)).toEqual({ state: 'contended' });
      expect((await bench.store.run.findRun(key))?.contention).toBe(
        'other processes kept the run from a CPU for 2 min 1 s of its 2 min 24 s; load 11.6 on 2 cores',
      );
    }
  });

  test('is not run once more if it had all of its time', async () => {
    await insertKnownRuns(bench.db, 'had-its-time', { known: 0, budget: { kind: 'reference' } });
    const key = await insertLaunched(bench.db, 'had-its-time', { kind: 'search' });
    const host = scriptedHost();
    host.end({ reason: 'wall', exitCode: null, wallSeconds: 52, waitSeconds: 16, cpuSeconds: 4 });
    expect(await follow(host, key)).toEqual({ state: 'ended' });
    expect((await bench.store.run.findRun(key))?.contention).toBeNull();
  });
});
