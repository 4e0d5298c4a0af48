import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createMonitorActivities, type MonitorInput, type MonitorResult } from '../../../activities/monitor.ts';
import type { FollowEvent } from '../../../infra/compute.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { useDatabase } from '../../db/support.ts';
import { scriptedHost } from './support/host.ts';
import { insertKnownRuns, insertLaunched } from './support/known-runs.ts';

const bench = useDatabase();
/** A run that failed, as a supervisor reports it. */
const FAILED = { reason: 'exit', exitCode: 1 } as const;
const FULL = 'expected at least 256 MiB of room for runs, found 3';

interface Setting {
  /** The end of the run; `lost`: its supervisor could not store it. */
  end: Parameters<ReturnType<typeof scriptedHost>['end']>[0] | 'lost';
  /** True: on this machine; false: on a host of the fleet. */
  isOwn?: boolean;
}

/** A run on a full disk, and the actions on it, in order. */
async function runOn(id: string, { end, isOwn = true }: Setting) {
  await insertKnownRuns(bench.db, id, {});
  const key = await insertLaunched(bench.db, id, { kind: 'search' });
  const scripted = scriptedHost();
  if (end !== 'lost') scripted.end(end);
  const did: string[] = [];
  const host = {
    ...scripted.compute,
    ...(end === 'lost'
      ? {
          follow: async function* (): AsyncGenerator<FollowEvent> {
            yield await Promise.resolve({ type: 'lost' });
          },
        }
      : {}),
    kill: async () => void did.push('kill'),
    remove: async () => void did.push('remove'),
  };
  const follow = (statements: Partial<ActivityDeps['store']['run']> = {}): Promise<MonitorResult> => {
    const deps = {
      store: { ...bench.store, run: { ...bench.store.run, ...statements } },
      hosts: { computeOf: () => host, isOwnHost: () => isOwn, shortageOf: () => Promise.resolve(isOwn ? null : FULL) },
      machine: { freeDisk: () => Promise.resolve({ bytes: isOwn ? 0 : 2 ** 40, files: null }) },
      scoring: { withinTime },
      reach: () => undefined,
    };
    const { monitor } = createMonitorActivities(deps as unknown as ActivityDeps, null);
    return new MockActivityEnvironment().run(monitor, key satisfies MonitorInput);
  };
  const row = async () => {
    const { stop, shortage } = (await bench.store.run.findRun(key)) ?? {};
    return { stop, shortage };
  };
  return { follow, did, row };
}

describe('on a disk that is full, a run', () => {
  test.each([
    [true, /^disk: 0 MiB free/],
    [false, /found 3$/],
  ])('that failed is lost, and makes room (this machine: %s)', async (isOwn, words) => {
    const { follow, did, row } = await runOn(`failed-${isOwn}`, { isOwn, end: FAILED });
    expect(await follow()).toEqual({ state: 'lost' });
    expect(await row()).toEqual({ stop: null, shortage: expect.stringMatching(words) as string });
    expect(did).toEqual(['kill', 'remove']);
  });

  test('that failed stays lost for the next attempt', async () => {
    const { follow, did, row } = await runOn('failed-twice', { end: FAILED });
    const dies = { freeSlotOfPlacement: () => Promise.reject(new Error('killed')) };
    await expect(follow(dies)).rejects.toThrow('killed');
    did.length = 0;
    expect(await follow()).toEqual({ state: 'lost' });
    expect((await row()).shortage).toMatch(/^disk: 0 MiB free/);
    expect(did).toEqual(['remove']);
  });

  test.each([true, false])('whose supervisor left no end is lost, and makes room (this machine: %s)', async (isOwn) => {
    const { follow, did, row } = await runOn(`lost-${isOwn}`, { isOwn, end: 'lost' });
    expect(await follow()).toEqual({ state: 'lost' });
    expect(await row()).toEqual({ stop: null, shortage: null });
    expect(did).toEqual(['kill', 'remove']);
  });

  test('that exceeded its own limit is scored as that', async () => {
    const { follow, row } = await runOn('own-limit', { end: { reason: 'disk', exitCode: null } });
    expect(await follow()).toEqual({ state: 'ended' });
    expect(await row()).toEqual({ stop: null, shortage: null });
  });

  test.each([
    [true, ['remove']],
    [false, []],
  ])('that ended well is scored, and first makes room for its evaluator (this machine: %s)', async (isOwn, actions) => {
    const { follow, did, row } = await runOn(`well-${isOwn}`, { isOwn, end: {} });
    expect(await follow()).toEqual({ state: 'ended' });
    expect(await row()).toEqual({ stop: null, shortage: null });
    expect(did).toEqual(actions);
  });
});
