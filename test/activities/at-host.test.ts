import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { unlessAwayTooLong } from '../../activities/at-host.ts';
import type { ActivityDeps } from '../../activities/index.ts';
import { HostUnusableError, RunGoneError } from '../../infra/compute.ts';
import { faultOf } from '../../workers/fleet/fault-of.ts';

/** A host that was heard a moment ago, and an activity on it whose work fails. */
async function attempt(error: Error) {
  const failed: string[] = [];
  const deps = {
    store: {
      hostFailed: async ({ message }: { message: string }) => void failed.push(message),
      hostAway: async () => 1,
    },
    ...{ hostFault: faultOf, lostAfter: () => 600, heardSecondsAgo: () => 1 },
    isRunGone: (one: unknown) => one instanceof RunGoneError,
    hostAnswers: (one: unknown) => one instanceof HostUnusableError,
  } as unknown as ActivityDeps;
  const on = { work: () => Promise.reject<string>(error), lost: async () => 'lost' };
  const came = await new MockActivityEnvironment()
    .run(() => unlessAwayTooLong(deps, 'box', on))
    .catch((caught: unknown) => caught);
  return { came, failed };
}

describe('a host that fails under an activity', () => {
  test('has lost a run of which nothing is left, at once, and goes on itself', async () => {
    const run = { trialId: 'r/1', placement: 0 };
    expect(await attempt(new RunGoneError('box', { run, state: 'absent' }))).toEqual({ came: 'lost', failed: [] });
  });

  test('is waited for where the run may still be there', async () => {
    expect(await attempt(new HostUnusableError('box', 'the disk is full'))).toMatchObject({
      came: { type: 'HostAway' },
    });
  });

  test('is no matter of the host where the work itself fails', async () => {
    const error = new Error('ours');
    expect(await attempt(error)).toEqual({ came: error, failed: [] });
  });
});
