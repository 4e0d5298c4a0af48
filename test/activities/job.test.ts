import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeAll, expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createJobActivities, type OpenedJob } from '../../activities/job.ts';
import type { Protections, SandboxMode } from '../../infra/compute.ts';
import { insertResearch, TASK } from '../cli/support/lineage.ts';
import { useDatabase } from '../db/support.ts';

const bench = useDatabase();
beforeAll(() => insertResearch(bench.db, 'of jobs'));

/** Opens a command of a task with that sandbox mode, on machines with these protections. */
function open(jobId: string, sandbox: SandboxMode | undefined, gives: Partial<Protections>): Promise<OpenedJob> {
  const task = { ...TASK, run: { ...TASK.run, ...(sandbox ? { sandbox } : {}) } };
  const loaded = { task, hash: 'task-1' };
  const deps = {
    // The task's version is stored already.
    store: { ...bench.store, task: { ...bench.store.task, saveTaskVersion: () => Promise.resolve() } },
    tasks: { loadTask: () => Promise.resolve(loaded) },
    pools: {
      slotsOf: () => Promise.resolve(1),
      memoryIn: () => null,
      diskSizeMb: () => Promise.resolve(null),
      protections: () =>
        Promise.resolve({ network: false, exposure: 'It can all.', notes: ['No namespaces.'], ...gives }),
    },
  };
  const { openJob } = createJobActivities(deps as unknown as ActivityDeps);
  return new MockActivityEnvironment().run(openJob, { jobId, task: '/toy', command: 'true' });
}

test('a command that needs a sandbox is refused if there is none, and leaves no job', async () => {
  await expect(open('command/toy/a', 'required', {})).rejects.toMatchObject({ type: 'NoSandbox', nonRetryable: true });
  expect(await bench.store.job.findJob('command/toy/a')).toBeUndefined();
});

test.each<[string, SandboxMode | undefined, Partial<Protections>]>([
  ['that needs one is opened where it can be had', 'required', { network: true }],
  ['whose task names none is opened without', undefined, {}],
  ['that prefers one is opened without', 'preferred', {}],
])('a command %s', async (name, sandbox, gives) => {
  expect(await open(`command/toy/${name}`, sandbox, gives)).toMatchObject({ shape: 'to-an-end', ending: null });
});
