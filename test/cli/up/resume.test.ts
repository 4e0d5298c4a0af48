import type { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { startOpenJobs } from '../../../cli/up/resume-jobs.ts';
import type { JobKind, JobSpec } from '../../../domain/job.ts';
import { insertTrials, useDatabase } from '../../db/support.ts';
import { endedNotes, revivedMessage } from '../../../cli/up/start-research.ts';

describe('jobs', () => {
  const bench = useDatabase();
  const SERVE = { ready: 'up', restart: { firstSeconds: 1, mostSeconds: 2 } };

  const open = (id: string, kind: JobKind, spec: JobSpec): Promise<void> =>
    bench.store.job.openJob({ id, kind, taskHash: 'task-1', pool: 'local', priority: 1, spec });

  test('open jobs are started under their ids with the inputs of their rows, but no trials or ended jobs', async () => {
    await insertTrials(bench.db, 'some', 1);
    await open('command/a', 'command', { shape: 'to-an-end', command: 'true' });
    await open('server/b', 'server', { shape: 'without-an-end', command: 'serve', ...SERVE });
    await open('command/over', 'command', { shape: 'to-an-end', command: 'true' });
    await bench.store.job.closeJob('command/over', { why: 'ended', detail: null });
    const started: unknown[] = [];
    const start = (type: string, options: object) => Promise.resolve(void started.push({ type, ...options }));
    const resumed = await startOpenJobs({ workflow: { start } } as unknown as Client, bench.db);
    expect({ ...resumed, started: resumed.started.sort() }).toEqual({
      started: ['command/a', 'server/b'],
      refused: [],
    });
    const common = { type: 'job', taskQueue: 'perpetua', workflowIdConflictPolicy: 'USE_EXISTING' };
    expect(started).toEqual(
      expect.arrayContaining([
        { ...common, workflowId: 'command/a', args: [{ task: 'task-1', command: 'true' }] },
        { ...common, workflowId: 'server/b', args: [{ task: 'task-1', command: 'serve', serve: SERVE }] },
      ]),
    );
    expect(started).toHaveLength(2);
  });

  test('a job that cannot be started is reported and stops no other; kinds without workflow are skipped', async () => {
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
});

describe('a research', () => {
  const STOPPED = { id: 'nano-lm', phase: 'stopped' as const, reason: 'stopped by a person' };

  test('that a person had stopped is reported as started again if its task was named', () => {
    expect(revivedMessage(STOPPED)).toBe(
      'it had ended (stopped: stopped by a person), and perpetua up --task started it again',
    );
  });

  test('that is the demo and that a person had stopped stays stopped, with a note how to start it', () => {
    expect(endedNotes(STOPPED)).toEqual([
      'nano-lm is stopped: stopped by a person. It is not started again. To go on with it: npx perpetua start nano-lm',
    ]);
  });

  test.each([
    ['is new', undefined],
    ['was under way', { id: 'x', phase: 'running' as const, reason: null }],
    ['is paused', { id: 'x', phase: 'paused' as const, reason: 'paused by a person; runs finish' }],
    ['is stopping', { id: 'x', phase: 'stopping' as const, reason: null }],
  ])('that %s has no note', (_, before) => {
    expect([revivedMessage(before), endedNotes(before)]).toEqual([null, null]);
  });
});
