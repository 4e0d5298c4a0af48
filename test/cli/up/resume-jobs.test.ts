import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { startOpenJobs } from '../../../cli/up/resume-jobs.ts';
import type { JobSpec } from '../../../domain/job.ts';
import { insertTrials, useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const SERVE = { ready: 'up', restart: { firstSeconds: 1, mostSeconds: 2 } };

const open = (id: string, kind: 'command' | 'server', spec: JobSpec): Promise<void> =>
  bench.store.job.openJob({ id, kind, taskHash: 'task-1', pool: 'local', priority: 1, spec });

test('jobs that are open are started under their ids with what their rows say, and no trial and none that has ended', async () => {
  await insertTrials(bench.db, 'some', 1);
  await open('command/a', 'command', { shape: 'to-an-end', command: 'true' });
  await open('server/b', 'server', { shape: 'without-an-end', command: 'serve', ...SERVE });
  await open('command/over', 'command', { shape: 'to-an-end', command: 'true' });
  await bench.store.job.closeJob('command/over', { why: 'ended', detail: null });
  const started: unknown[] = [];
  const start = (type: string, options: object) => Promise.resolve(void started.push({ type, ...options }));
  const ids = await startOpenJobs({ workflow: { start } } as unknown as Client, bench.db);
  expect(ids.sort()).toEqual(['command/a', 'server/b']);
  const common = { type: 'job', taskQueue: 'perpetua', workflowIdConflictPolicy: 'USE_EXISTING' };
  expect(started).toEqual(
    expect.arrayContaining([
      { ...common, workflowId: 'command/a', args: [{ task: 'task-1', command: 'true' }] },
      { ...common, workflowId: 'server/b', args: [{ task: 'task-1', command: 'serve', serve: SERVE }] },
    ]),
  );
  expect(started).toHaveLength(2);
});
