import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createReconcileActivities } from '../../activities/reconcile.ts';
import { HostUnreachableError, type Compute } from '../../infra/compute.ts';
import { bytes, LIMITS } from '../infra/compute/conformance/support.ts';
import { useAsked } from './score/support/asked.ts';

const { bench, ended, computeOfBox, directoryOf } = useAsked();

const stop = async (trialId: string, compute: Partial<Compute>, seenSecondsAgo = 1): Promise<unknown> => {
  const then = sql`now() - make_interval(secs => ${seenSecondsAgo})`;
  await bench.db.execute(sql`update hosts set seen_at = ${then}, applied_at = ${then}`);
  const deps = { store: bench.store, computeOf: () => compute, isOwnHost: () => false, reach: () => undefined };
  const { abandon } = createReconcileActivities(deps as unknown as ActivityDeps);
  return new MockActivityEnvironment().run(abandon, { trialId, why: 'cancelled' as const });
};

describe('a trial that is stopped after its run has ended on a host of the fleet', () => {
  test('leaves nothing there: neither a program that answers, nor the run directory', async () => {
    const { key, spec } = await ended('stopped-asked');
    const compute = computeOfBox();
    const talk = await compute.converse({ ...spec, limits: LIMITS, command: 'cat' });
    await talk.write(bytes('x'));
    expect(existsSync(directoryOf(key))).toBe(true);
    await stop(key.trialId, compute);
    // It ends, and who asks may find nothing of it any more.
    await talk.ended.catch(() => undefined);
    expect(existsSync(directoryOf(key))).toBe(false);
    expect(await bench.store.findLease(key.trialId)).toBeUndefined();
  });

  test('gives its slot on once a program that heeds no TERM is gone', async () => {
    const { key } = await ended('stopped-slow');
    let isGone = false;
    const kill = async (): Promise<void> => {
      await sleep(6000);
      isGone = true;
    };
    await stop(key.trialId, { ...computeOfBox(), kill });
    expect(isGone).toBe(true);
  });

  test('is stopped all the same where that host does not answer', async () => {
    const { key } = await ended('stopped-away');
    const away = { kill: () => Promise.reject(new HostUnreachableError('box', 'closed', { message: 'gone' })) };
    expect(await stop(key.trialId, away)).toMatchObject({ status: 'aborted' });
    expect(await bench.store.findLease(key.trialId)).toBeUndefined();
  });

  test('is stopped all the same where that host says nothing at all', async () => {
    const { key } = await ended('stopped-silent');
    expect(await stop(key.trialId, { kill: () => new Promise(() => undefined) }, 90)).toMatchObject({
      status: 'aborted',
    });
    expect(await bench.store.findLease(key.trialId)).toBeUndefined();
  });
});
