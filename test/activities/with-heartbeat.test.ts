import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import {
  createFleetActivities,
  createMainActivities,
  createProposeActivities,
  createScoreActivities,
  createWaitingActivities,
} from '../../activities/index.ts';
import { optionsOf } from '../../workflows/timeouts.ts';

/** Longest time limit by which alone a dead worker is noticed. */
const UNNOTICED_MS = 30_000;

/** A database that answers nobody before the activity has beaten, and fails then. */
function silentStore(beat: Promise<unknown>): ActivityDeps['store'] {
  const verb = async (): Promise<never> => {
    await beat;
    throw new Error('it has beaten');
  };
  const group = new Proxy({}, { get: () => verb });
  return new Proxy({}, { get: () => group }) as ActivityDeps['store'];
}

test.each([
  ['openResearch', { researchId: 'a', task: 'toy' }],
  ['changeTask', { researchId: 'a', task: 'toy' }],
  ['injectProposals', { researchId: 'a', proposals: [{ key: 'k', files: {}, hypothesis: 'h' }] }],
  ['abandon', { trialId: 'a/1', why: 'closed' }],
  ['reconcile', { researchId: 'a', ns: [], runId: 'r' }],
  ['start', { jobId: 'a/1', placement: 0 }],
  ['launch', { jobId: 'a/1', placement: 0 }],
  ['prepare', { jobId: 'a/1', placement: 0 }],
  ['monitor', { jobId: 'a/1', placement: 0 }],
  ['propose', { trialId: 'a/1' }],
  ['score', { jobId: 'a/1', placement: 0 }],
] as const)('%s beats while it works, so that a dead worker is noticed', async (name, input) => {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 40 });
  const beat = new Promise((resolve) => environment.once('heartbeat', resolve));
  const deps = { store: silentStore(beat) } as ActivityDeps;
  const activities = {
    ...createMainActivities(deps),
    ...createFleetActivities(deps),
    ...createWaitingActivities(deps, null),
    ...createProposeActivities(deps),
    ...createScoreActivities(deps),
  };
  const activity = activities[name] as (input: unknown) => Promise<unknown>;
  await expect(environment.run(activity, input)).rejects.toThrow('it has beaten');
});

test.each(Object.entries(optionsOf(0.05)))('a busy worker has time to say that a %s activity lives', (_, given) => {
  const { heartbeatTimeout } = given as { heartbeatTimeout?: number };
  expect(heartbeatTimeout ?? Infinity).toBeGreaterThanOrEqual(5000);
});

test.each(Object.entries(optionsOf(1)))(
  'a worker that dies in a %s activity is noticed within half a minute',
  (_, given) => {
    const { startToCloseTimeout, heartbeatTimeout } = given as {
      startToCloseTimeout: unknown;
      heartbeatTimeout?: number;
    };
    const isShort = typeof startToCloseTimeout === 'number' && startToCloseTimeout <= UNNOTICED_MS;
    expect(isShort || (heartbeatTimeout ?? Infinity) <= UNNOTICED_MS).toBe(true);
  },
);
