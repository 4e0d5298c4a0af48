import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { startOpenJobs } from '../../../cli/up/resume-jobs.ts';
import type { JobKind, JobSpec } from '../../../domain/job.ts';
import { insertTrials, useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const SERVE = { ready: 'up', restart: { firstSeconds: 1, mostSeconds: 2 } };

const open = (id: string, kind: JobKind, spec: JobSpec): Promise<void> =>
  bench.store.job.openJob({ id, kind, taskHash: 'task-1', pool: 'local', priority: 1, spec });

test('jobs that are open are started under their ids with what their rows say, and no trial and none that has ended', async () => {
  await insertTrials(bench.db, 'some', 1);
  await open('command/a', 'command', { shape: 'to-an-end', command: 'true' });
  await open('server/b', 'server', { shape: 'without-an-end', command: 'serve', ...SERVE });
  await open('command/over', 'command', { shape: 'to-an-end', command: 'true' });
  await bench.store.job.closeJob('command/over', { why: 'ended', detail: null });
  const started: unknown[] = [];
  const start = (type: string, options: object) => Promise.resolve(void started.push({ type, ...options }));
  const resumed = await startOpenJobs({ workflow: { start } } as unknown as Client, bench.db);
  expect({ ...resumed, started: resumed.started.sort() }).toEqual({ started: ['command/a', 'server/b'], refused: [] });
  const common = { type: 'job', taskQueue: 'perpetua', workflowIdConflictPolicy: 'USE_EXISTING' };
  expect(started).toEqual(
    expect.arrayContaining([
      { ...common, workflowId: 'command/a', args: [{ task: 'task-1', command: 'true' }] },
      { ...common, workflowId: 'server/b', args: [{ task: 'task-1', command: 'serve', serve: SERVE }] },
    ]),
  );
  expect(started).toHaveLength(2);
});

test('a job that cannot be started is told of and keeps no other from it, and a kind that the workflow does not run is left', async () => {
  const fresh = bench.store.job;
  for (const id of await fresh.findOpenJobs()) await fresh.closeJob(id, { why: 'ended', detail: null });
  const newer = { shape: 'from-the-future', command: 'true' } as unknown as JobSpec;
  await open('command/newer', 'command', newer);
  await open('command/thrown', 'command', { shape: 'to-an-end', command: 'true' });
  await open('server/last', 'server', { shape: 'without-an-end', command: 'serve', ...SERVE });
  await open('update/model', 'update', { shape: 'to-an-end', command: 'train' });
  const start = (_: string, { workflowId }: { workflowId: string }) =>
    workflowId === 'command/thrown' ? Promise.reject(new Error('the server is busy')) : Promise.resolve();
  const { started, refused } = await startOpenJobs({ workflow: { start } } as unknown as Client, bench.db);
  expect(started).toEqual(['server/last']);
  expect(refused.sort()).toEqual([
    expect.stringMatching(/^command\/newer does not go on: job\.shape: this version does not know from-the-future/),
    'command/thrown does not go on: the server is busy',
  ]);
});
