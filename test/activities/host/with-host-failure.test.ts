import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { withHostLoss } from '../../../activities/host/with-host-failure.ts';
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

/** An activity whose work fails, on a host that answered a moment ago; `forgotten`: it left the fleet for good. */
async function attempt(error: Error, { forgotten = false } = {}) {
  const failed: string[] = [];
  const deps = {
    store: {
      host: {
        noteHostFailure: async ({ message }: { message: string }) => void failed.push(message),
        secondsSinceContact: async () => 1,
        isForgotten: async () => forgotten,
      },
    },
    hosts: { lostAfter: () => 600, secondsSinceAnswer: () => 1 },
  } as unknown as ActivityDeps;
  const steps = { work: () => Promise.reject<string>(error), lost: async () => 'lost' };
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

  test('is not blamed if this worker does not know it', async () => {
    const error = new HostGoneError('box', 'it is not in the fleet any more');
    expect(await attempt(error)).toEqual({ got: error, failed: [] });
  });

  test('has lost the run if it left the fleet for good', async () => {
    const error = new HostGoneError('box', 'it is not in the fleet any more');
    expect(await attempt(error, { forgotten: true })).toEqual({ got: 'lost', failed: [] });
  });

  test.each([false, true])('is not blamed if the work itself fails (forgotten: %s)', async (forgotten) => {
    const error = new Error('ours');
    expect(await attempt(error, { forgotten })).toEqual({ got: error, failed: [] });
  });
});
