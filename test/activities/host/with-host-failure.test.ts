import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { type HostLoss, withHostLoss } from '../../../activities/host/with-host-failure.ts';
import type { ActivityDeps } from '../../../activities/index.ts';
import {
  HostAuthError,
  HostConfigError,
  HostGoneError,
  HostKeyError,
  HostUnreachableError,
  HostUnusableError,
  RunGoneError,
} from '../../../infra/compute.ts';

/**
 * An activity whose work fails, on a host that answered `away` seconds ago, of 600 that are waited for; `forgotten`: it
 * left the fleet for good.
 */
async function attempt(error: Error, { forgotten = false, away = 1 } = {}) {
  const failed: string[] = [];
  const deps = {
    store: {
      host: {
        noteHostFailure: async ({ message }: { message: string }) => void failed.push(message),
        secondsSinceContact: async () => away,
        isForgotten: async () => forgotten,
      },
    },
    hosts: { lostAfter: () => 600, secondsSinceAnswer: () => 1 },
  } as unknown as ActivityDeps;
  const steps = { work: () => Promise.reject<string>(error), lost: async (loss: HostLoss) => loss };
  const got = await new MockActivityEnvironment()
    .run(() => withHostLoss(deps, 'box', steps))
    .catch((caught: unknown) => caught);
  return { got, failed };
}

describe('a host that fails under an activity', () => {
  test('has lost a run without a trace at once, and serves on', async () => {
    const run = { jobId: 'r/1', placement: 0 };
    expect(await attempt(new RunGoneError('box', { run, state: 'absent' }))).toEqual({ got: 'lost', failed: [] });
  });

  test.each([
    new HostUnusableError('box', 'the disk is full'),
    new HostUnreachableError('box', 'timeout', { message: 'no answer in time' }),
    new HostKeyError('box', 'another key than before'),
    new HostAuthError('box', 'it refused every key'),
    new HostConfigError('box', 'no such alias'),
  ])('rests, and the run waits for it, since it may still be there: $name', async (error) => {
    expect(await attempt(error)).toMatchObject({ got: { type: 'HostAway' }, failed: [error.message] });
  });

  test('is gone, with the run, once it has been away for too long', async () => {
    const error = new HostUnreachableError('box', 'timeout', { message: 'no answer in time' });
    expect(await attempt(error, { away: 599 })).toMatchObject({ got: { type: 'HostAway' } });
    expect(await attempt(error, { away: 600 })).toEqual({ got: 'gone', failed: [error.message] });
  });

  test('has lost a run without a trace also after it was away for long', async () => {
    const run = { jobId: 'r/1', placement: 0 };
    expect((await attempt(new RunGoneError('box', { run, state: 'lost' }), { away: 1e6 })).got).toBe('lost');
  });

  test('is not blamed if this worker does not know it', async () => {
    const error = new HostGoneError('box', 'it is not in the fleet any more');
    expect(await attempt(error)).toEqual({ got: error, failed: [] });
  });

  test('is gone if it left the fleet for good', async () => {
    const error = new HostGoneError('box', 'it is not in the fleet any more');
    expect(await attempt(error, { forgotten: true })).toEqual({ got: 'gone', failed: [] });
  });

  test.each([false, true])('is not blamed if the work itself fails (forgotten: %s)', async (forgotten) => {
    const error = new Error('ours');
    expect(await attempt(error, { forgotten })).toEqual({ got: error, failed: [] });
  });
});
