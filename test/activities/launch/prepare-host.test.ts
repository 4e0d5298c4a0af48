import { MockActivityEnvironment } from '@temporalio/testing';
import { ApplicationFailure } from '@temporalio/activity';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createLaunchActivities } from '../../../activities/launch.ts';

/** Prepares a host for a task whose Python cannot be built on `fails`; `notes`: hosts that got a note. */
async function prepared(fails: string): Promise<{ got: unknown; notes: string[] }> {
  const notes: string[] = [];
  const environment = { python: '3.11', lock: 'requirements.lock' };
  const task = { run: { path: [] }, evaluator: { type: 'artefact' }, environment };
  const deps = {
    store: {
      slot: { findLease: async () => ({ host: 'box', pool: 'p', fence: 1 }), freeSlot: async () => true },
      trial: { loadTrialAndResearch: async () => ({ trial: { id: 'a/1', taskHash: 'task' }, research: {} }) },
      task: { loadTaskVersion: async () => ({ hash: 'task', stageHash: 's', task }), loadTaskFiles: async () => [] },
      run: { noteWait: async () => undefined },
      host: { noteOnHost: async ({ name }: { name: string }) => void notes.push(name), countServing: async () => 1 },
    },
    hosts: { computeOf: (host: string) => ({ host }), isOwnHost: (host: string) => host === 'here' },
    environments: {
      ownHost: 'here',
      build: async ({ host }: { host: string }) => {
        if (host === fails) throw ApplicationFailure.nonRetryable('no wheel', 'SetupFailedError');
      },
    },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { prepare } = createLaunchActivities(deps);
  const got: unknown = await new MockActivityEnvironment()
    .run(prepare, { jobId: 'a/1', placement: 0 })
    .catch((error: unknown) => error);
  return { got, notes };
}

test('a host refuses a task whose Python cannot be built there, and another may take it', async () => {
  expect(await prepared('box')).toMatchObject({
    got: { state: 'elsewhere', refusal: { why: 'setup-failed' } },
    notes: ['box'],
  });
});

test("a trial ends if its evaluator's Python cannot be built, and no host is blamed for that", async () => {
  expect(await prepared('here')).toMatchObject({ got: { type: 'SetupFailedError', message: 'no wheel' }, notes: [] });
});

test('a host on which all of it can be built is ready', async () => {
  expect(await prepared('none')).toMatchObject({ got: { state: 'prepare', host: 'box' }, notes: [] });
});
