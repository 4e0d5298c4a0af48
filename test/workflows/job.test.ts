import { fileURLToPath } from 'node:url';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QUEUES } from '../../domain/messages/names.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

const POOL = 'box';
const ARGS = { task: 't', command: 'serve', serve: { ready: 'up' }, maxHistory: 10 };

/** A promise, and the function that fulfils it. */
function latch(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
/** `monitored` opens once the server's run is monitored; opening `runEnd` lets that run end. */
const [monitored, runEnd] = [latch(), latch()];
/** Reasons with which jobs ended. */
const endReasons: string[] = [];
/** Ids of jobs that swept. */
const sweptJobs: string[] = [];
const activities = {
  openJob: async ({ pool = POOL }: { pool?: string }) => ({
    pool,
    priority: 1,
    taskName: 't',
    shape: 'without-an-end',
    ending: null,
  }),
  nextRun: async () => ({ placement: 0, isHeld: false, pauseSeconds: 0, last: null }),
  launch: async () => ({ state: 'running', host: 'a' }),
  awaitReady: async () => ({ state: 'ready', host: 'a', at: '2026-01-01T00:00:00Z' }),
  monitor: async () => {
    monitored.open();
    await runEnd.opened;
    return { state: 'ended' };
  },
  // The first sweep fails for good.
  sweep: async ({ jobId }: { jobId: string }) => {
    if (sweptJobs.push(jobId) === 1) throw ApplicationFailure.nonRetryable('no host answers');
  },
  endJob: async ({ why }: { why: string }) => {
    endReasons.push(why);
    return { why, detail: null, host: null, end: null };
  },
};

const BEFORE_END = ['openJob', 'nextRun', 'launch', 'awaitReady', 'monitor'];

let stack: TestStack;
let connection: NativeConnection;

/** A worker that serves workflows only. Once it has stopped, another worker gets their tasks. */
const workflowWorker = (): Promise<Worker> =>
  Worker.create({
    connection,
    taskQueue: QUEUES.main,
    maxCachedWorkflows: 0,
    workflowsPath: fileURLToPath(new URL('../../workflows/job.ts', import.meta.url)),
  });

beforeAll(async () => {
  stack = await startTestStack();
  connection = await NativeConnection.connect({ address: stack.temporalAddress });
});
afterAll(async () => {
  await connection.close();
  await stack.stop();
});

test('a server that is cancelled just before continue-as-new ends and does not restart', async () => {
  const queues = [QUEUES.main, QUEUES.monitor, QUEUES.fleet(POOL)];
  const workers = await Promise.all(queues.map((taskQueue) => Worker.create({ connection, taskQueue, activities })));
  const running = workers.map((worker) => worker.run());
  const first = await workflowWorker();
  const firstRuns = first.run();
  const handle = await stack.client.workflow.start('job', {
    workflowId: 'server/t/cancelled',
    taskQueue: QUEUES.main,
    args: [ARGS],
  });
  await monitored.opened;
  first.shutdown();
  await firstRuns;
  // Store the cancel and the end of the run before a worker sees them.
  await handle.cancel();
  runEnd.open();
  const completed = async (): Promise<number> =>
    ((await handle.fetchHistory()).events ?? []).filter((event) => event.activityTaskCompletedEventAttributes).length;
  await expect.poll(completed, { timeout: 20_000 }).toBe(BEFORE_END.length);
  const second = await workflowWorker();
  const secondRuns = second.run();
  expect(await handle.result()).toMatchObject({ why: 'cancelled' });
  expect(endReasons).toEqual(['cancelled']);
  for (const worker of [second, ...workers]) worker.shutdown();
  await Promise.all([secondRuns, ...running]);
}, 120_000);

test('a waiting job sweeps for abandoned slots until it gets a slot, even after a failed sweep', async () => {
  const queue = await Worker.create({ connection, taskQueue: QUEUES.main, activities });
  const workflows = await workflowWorker();
  const running = [queue, workflows].map((worker) => worker.run());
  const handle = await stack.client.workflow.start('job', {
    workflowId: 'server/t/waits',
    taskQueue: QUEUES.main,
    args: [{ ...ARGS, pool: 'busy', tempo: 0.01 }],
  });
  await expect.poll(() => sweptJobs.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
  expect(new Set(sweptJobs)).toEqual(new Set(['server/t/waits']));
  const fleet = await Worker.create({ connection, taskQueue: QUEUES.fleet('busy'), activities });
  running.push(fleet.run());
  const events = async () => (await handle.fetchHistory()).events ?? [];
  const canceled = async () => (await events()).filter((event) => event.timerCanceledEventAttributes).length;
  await expect.poll(canceled, { timeout: 20_000 }).toBe(1);
  await handle.cancel();
  expect(await handle.result()).toMatchObject({ why: 'cancelled' });
  for (const worker of [queue, workflows, fleet]) worker.shutdown();
  await Promise.all(running);
}, 120_000);
