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

/** A host that was heard a moment ago, and an activity on it whose work fails; `forgotten`: it left the fleet for good. */
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
    hosts: { lostAfter: () => 600, heardSecondsAgo: () => 1 },
  } as unknown as ActivityDeps;
  const on = { work: () => Promise.reject<string>(error), lost: async () => 'lost' };
  const came = await new MockActivityEnvironment()
    .run(() => withHostLoss(deps, 'box', on))
    .catch((caught: unknown) => caught);
  return { came, failed };
}

describe('a host that fails under an activity', () => {
  test('has lost a run of which nothing is left, at once, and goes on itself', async () => {
    const run = { trialId: 'r/1', placement: 0 };
    expect(await attempt(new RunGoneError('box', { run, state: 'absent' }))).toEqual({ came: 'lost', failed: [] });
  });

  test.each([
    new HostUnusableError('box', 'the disk is full'),
    new HostUnreachableError('box', 'timeout', { message: 'no answer in time' }),
    new HostKeyError('box', 'another key than before'),
    new HostAuthError('box', 'it refused every key'),
    new HostConfigError('box', 'no such alias'),
  ])('rests, and is waited for where the run may still be there: $name', async (error) => {
    expect(await attempt(error)).toMatchObject({ came: { type: 'HostAway' }, failed: [error.message] });
  });

  test('that this worker does not know rests for nobody', async () => {
    const error = new HostGoneError('box', 'it is not in the fleet any more');
    expect(await attempt(error)).toEqual({ came: error, failed: [] });
  });

  test('that left the fleet for good has lost the run', async () => {
    const error = new HostGoneError('box', 'it is not in the fleet any more');
    expect(await attempt(error, { forgotten: true })).toEqual({ came: 'lost', failed: [] });
  });

  test.each([false, true])(
    'is no matter of the host where the work itself fails (forgotten: %s)',
    async (forgotten) => {
      const error = new Error('ours');
      expect(await attempt(error, { forgotten })).toEqual({ came: error, failed: [] });
    },
  );
});
