import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createLaunchActivities } from '../../activities/launch.ts';
import { TASK } from '../cli/support/lineage.ts';

/** Starts a trial on a host that gives a run so much memory. The first step there looks for the stage, and fails. */
async function startWith(memoryMb: number | null, begun?: object) {
  const done: string[] = [];
  const deps = {
    reach: () => undefined,
    store: {
      slot: {
        findLease: async () => ({ host: 'small', pool: 'lab', fence: 1 }),
        freeSlot: async () => void done.push('freed'),
      },
      trial: {
        loadTrialAndResearch: async () => ({ trial: { id: 'a/1', taskHash: 'task', waitsFor: null }, research: {} }),
      },
      task: { loadTaskVersion: async () => ({ hash: 'task', stageHash: 'stage', task: TASK }) },
      host: { noteOnHost: async ({ note }: { note: string }) => void done.push(note), countServing: async () => 2 },
      run: { findRun: async () => begun },
    },
    hosts: {
      computeOf: () => ({ isStaged: () => Promise.reject(new Error('it is looked for')) }),
      memoryOf: (host: string) => (host === 'small' ? memoryMb : null),
      isOwnHost: () => false,
    },
  } as unknown as ActivityDeps;
  const { start } = createLaunchActivities(deps);
  const result = await new MockActivityEnvironment().run(start, { jobId: 'a/1', placement: 0 });
  return { result, done };
}

test('a host that gives a run less memory than its task asks for refuses it, and others may take it', async () => {
  const wanted = TASK.run.resources.memoryMb;
  const detail =
    `run.resources.memoryMb: expected at most ${wanted - 1} (the memory of a run there), got ${wanted}; ` +
    'lower it, or choose a pool with more';
  expect(await startWith(wanted - 1)).toEqual({
    result: {
      state: 'elsewhere',
      host: 'small',
      refusal: { why: 'failed', detail: `host small: ${detail}`, hosts: 2 },
    },
    done: [`refused a/1: ${detail}`, 'freed'],
  });
  for (const enough of [wanted, null]) await expect(startWith(enough)).rejects.toThrow('it is looked for');
});

test('a run that is under way there goes on, though its host gives less by now', async () => {
  await expect(startWith(1, { host: 'small' })).rejects.toThrow('it is looked for');
});
