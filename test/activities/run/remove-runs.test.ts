import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { removeRuns } from '../../../activities/run/remove-runs.ts';
import type { Compute, RunRef } from '../../../infra/compute.ts';

const LAST = { trialId: 'a/1', placement: 1, host: 'here' };
const never = new Promise<never>(() => undefined);

/** Removes what a trial left, which was first on another host; tells what was removed. */
async function removed(of: { elsewhere?: Promise<void>; found?: Promise<never>; patience?: () => Promise<unknown> }) {
  const gone: string[] = [];
  const computeOf = (host: string): Compute =>
    ({
      remove: async ({ placement }: RunRef) => {
        if (host !== 'here') await of.elsewhere;
        gone.push(`${placement} on ${host}`);
      },
    }) as unknown as Compute;
  const findEarlierPlacements = () => of.found ?? Promise.resolve([{ trialId: 'a/1', placement: 0, host: 'there' }]);
  const remove = () =>
    removeRuns(
      {
        hosts: { computeOf },
        store: {
          run: { findEarlierPlacements },
        },
      },
      LAST,
      of.patience ?? (() => never),
    );
  await new MockActivityEnvironment().run(remove);
  return gone.sort();
}

test('what a trial left is removed on its own host, and on those it was placed on before', async () => {
  expect(await removed({ elsewhere: Promise.resolve() })).toEqual(['0 on here', '0 on there', '1 on here']);
});

test('a host that takes long to remove what a trial left does not keep the trial from its end', async () => {
  expect(await removed({ elsewhere: never, patience: () => Promise.resolve() })).toEqual(['0 on here', '1 on here']);
});

test('a trial ends although nobody can say where it was placed before', async () => {
  expect(await removed({ found: Promise.reject(new Error('the database is away')) })).toEqual([
    '0 on here',
    '1 on here',
  ]);
});
