import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import type { StoredEnd } from '../../../activities/run/collect.ts';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createMonitorActivities, type MonitorInput, type MonitorResult } from '../../../activities/monitor.ts';
import type { Failure } from '../../../domain/trial.ts';
import type { FollowEvent } from '../../../infra/compute.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { useDatabase } from '../../db/support.ts';
import { scriptedHost } from './support/host.ts';
import { insertKnownRuns, insertLaunched } from './support/known-runs.ts';

const bench = useDatabase();
const FULL_MB = 4096;
const BY_ITSELF: Failure = { label: 'disk-limit', message: 'it filled the disk' };
const STALLED: Failure = { label: 'stalled', message: 'silence' };
/** As a supervisor tells of a run that failed. */
const FAILED = { reason: 'exit', exitCode: 1 } as const;

interface Setting {
  /** MiB of a full disk that are the run's own. */
  own: number;
  /** How it ends; `lost` where nobody could write that down. */
  end?: Parameters<ReturnType<typeof scriptedHost>['end']>[0] | 'lost';
  /** Decided before. */
  stop?: Failure;
}

/** A run on a disk of this machine that is full, and what was done with it, in order. */
async function runOn(id: string, { own, end = FAILED, stop }: Setting) {
  await insertKnownRuns(bench.db, id, {});
  const key = await insertLaunched(bench.db, id, { kind: 'search' });
  const taken = await bench.store.run.takeOver(key);
  const follower = taken?.follower ?? -1;
  if (stop) await bench.store.run.saveStop({ ...key, follower, stop });
  const scripted = scriptedHost();
  const { compute } = scripted;
  if (end !== 'lost') scripted.end(end);
  const did: string[] = [];
  const host = {
    ...compute,
    ...(end === 'lost'
      ? {
          follow: async function* (): AsyncGenerator<FollowEvent> {
            yield await Promise.resolve({ type: 'lost' });
          },
        }
      : {}),
    kill: async () => void did.push('kill'),
    holds: async () => (did.push('weigh'), { ownMb: own, usedMb: FULL_MB, ownFiles: 0, usedFiles: 0, freeFiles: null }),
    remove: async () => void did.push('remove'),
  };
  const follow = (statements: Partial<ActivityDeps['store']['run']> = {}): Promise<MonitorResult> => {
    const deps = {
      store: { ...bench.store, run: { ...bench.store.run, ...statements } },
      hosts: { computeOf: () => host, isOwnHost: () => true },
      machine: { freeDisk: () => Promise.resolve({ bytes: 0, files: null }) },
      scoring: { withinTime },
      reach: () => undefined,
    };
    const { monitor } = createMonitorActivities(deps as unknown as ActivityDeps, null);
    return new MockActivityEnvironment().run(monitor, key satisfies MonitorInput);
  };
  const row = async () => {
    const { stop: stands, end: ended, shortage } = (await bench.store.run.findRun(key)) ?? {};
    return { stop: stands?.label, reason: (ended as StoredEnd | null)?.reason, shortage };
  };
  return { follow, did, row };
}

describe('a run on a disk that is full', () => {
  test.each([
    ['failed', FAILED, 'exit'],
    ['was lost', 'lost', 'disk'],
  ] as const)('and that filled it is ended before it is weighed, and makes room: it %s', async (_, end, reason) => {
    const { follow, did, row } = await runOn(`filled-${reason}`, { own: 4000, end });
    expect(await follow()).toEqual({ state: 'ended' });
    expect(await row()).toEqual({ stop: 'disk-limit', reason, shortage: null });
    expect(did).toEqual(['kill', 'weigh', 'remove']);
  });

  test('and that filled it stays so for the next attempt, which finds it removed', async () => {
    const dies = { freeSlotOf: () => Promise.reject(new Error('killed')) };
    const { follow, did, row } = await runOn('filled-twice', { own: 4000 });
    await expect(follow(dies)).rejects.toThrow('killed');
    did.length = 0;
    expect(await follow()).toEqual({ state: 'ended' });
    expect(await row()).toEqual({ stop: 'disk-limit', reason: 'exit', shortage: null });
    expect(did).toEqual(['remove']);
  });

  test.each([
    ['failed', FAILED, 'exit'],
    ['was lost', 'lost', 'disk'],
  ] as const)('is not weighed once more where that was decided: it %s', async (_, end, reason) => {
    const { follow, did, row } = await runOn(`decided-${reason}`, { own: 0, end, stop: BY_ITSELF });
    expect(await follow()).toEqual({ state: 'ended' });
    expect(await row()).toEqual({ stop: 'disk-limit', reason, shortage: null });
    expect(did).not.toContain('weigh');
  });

  test('and was stopped before for something else keeps that, and what it holds until it is scored', async () => {
    const { follow, did, row } = await runOn('stalled', { own: 4000, end: 'lost', stop: STALLED });
    const stays = { stop: 'stalled', reason: 'killed', shortage: null };
    expect([await follow(), await row()]).toEqual([{ state: 'ended' }, stays]);
    expect([await follow(), await row()]).toEqual([{ state: 'ended' }, stays]);
    expect(did).toContain('weigh');
    expect(did).not.toContain('remove');
  });

  test('with little of its own is placed once more', async () => {
    const { follow, row } = await runOn('innocent', { own: 1 });
    expect(await follow()).toEqual({ state: 'lost' });
    expect(await row()).toMatchObject({
      stop: undefined,
      shortage: expect.stringMatching(/^disk: 0 MiB free/) as string,
    });
  });
});
