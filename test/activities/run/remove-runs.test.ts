import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { removeRuns } from '../../../activities/run/remove-runs.ts';
import type { Compute, RunRef } from '../../../infra/compute.ts';

const LAST = { jobId: 'a/1', placement: 1, host: 'here' };
const never = new Promise<never>(() => undefined);

interface Setting {
  /** The other host's removal. */
  elsewhere?: Promise<void>;
  found?: Promise<never>;
  patience?: () => Promise<unknown>;
}

/** Removes the leftovers of a trial that was first on another host; returns the removed ones. */
async function removed({ elsewhere, found, patience }: Setting) {
  const gone: string[] = [];
  const computeOf = (host: string): Compute =>
    ({
      remove: async ({ placement }: RunRef) => {
        if (host !== 'here') await elsewhere;
        gone.push(`${placement} on ${host}`);
      },
    }) as unknown as Compute;
  const findEarlierPlacements = () => found ?? Promise.resolve([{ jobId: 'a/1', placement: 0, host: 'there' }]);
  const remove = () =>
    removeRuns(
      {
        hosts: { computeOf },
        store: {
          run: { findEarlierPlacements },
        },
      },
      LAST,
      patience ?? (() => never),
    );
  await new MockActivityEnvironment().run(remove);
  return gone.sort();
}

test('the leftovers of a trial are removed on its host, and on those of its earlier placements', async () => {
  expect(await removed({ elsewhere: Promise.resolve() })).toEqual(['0 on here', '0 on there', '1 on here']);
});

test('a host that removes leftovers slowly does not keep the trial from its end', async () => {
  expect(await removed({ elsewhere: never, patience: () => Promise.resolve() })).toEqual(['0 on here', '1 on here']);
});

test('a trial ends although its earlier placements cannot be read', async () => {
  expect(await removed({ found: Promise.reject(new Error('the database is away')) })).toEqual([
    '0 on here',
    '1 on here',
  ]);
});
