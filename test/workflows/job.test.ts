import { fileURLToPath } from 'node:url';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QUEUES } from '../../domain/messages/names.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

const POOL = 'box';
const ARGS = { task: 't', command: 'serve', serve: { ready: 'up' }, maxHistory: 10 };

/** A promise, and the function that fulfils it. */
function gate(): { isOpen: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  return { isOpen, open };
}
/** `followed` opens once the server's run is monitored; opening `ends` lets that run end. */
const [followed, ends] = [gate(), gate()];
const asked: string[] = [];
const swept: string[] = [];
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
    followed.open();
    await ends.isOpen;
    return { state: 'ended' };
  },
  // The first sweep fails for good.
  sweep: async ({ jobId }: { jobId: string }) => {
    if (swept.push(jobId) === 1) throw ApplicationFailure.nonRetryable('no host answers');
  },
  endJob: async ({ why }: { why: string }) => {
    asked.push(why);
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

test('a server that is cancelled just before its continue-as-new ends and does not begin again', async () => {
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
  await followed.isOpen;
  first.shutdown();
  await firstRuns;
  // The history has both before a worker receives either of them.
  await handle.cancel();
  ends.open();
  const completed = async (): Promise<number> =>
    ((await handle.fetchHistory()).events ?? []).filter((event) => event.activityTaskCompletedEventAttributes).length;
  await expect.poll(completed, { timeout: 20_000 }).toBe(BEFORE_END.length);
  const second = await workflowWorker();
  const secondRuns = second.run();
  expect(await handle.result()).toMatchObject({ why: 'cancelled' });
  expect(asked).toEqual(['cancelled']);
  for (const worker of [second, ...workers]) worker.shutdown();
  await Promise.all([secondRuns, ...running]);
}, 120_000);

test('a job that waits for a slot sweeps for abandoned ones, also after a failure, until it has one', async () => {
  const queue = await Worker.create({ connection, taskQueue: QUEUES.main, activities });
  const workflows = await workflowWorker();
  const running = [queue, workflows].map((worker) => worker.run());
  const handle = await stack.client.workflow.start('job', {
    workflowId: 'server/t/waits',
    taskQueue: QUEUES.main,
    args: [{ ...ARGS, pool: 'busy', tempo: 0.01 }],
  });
  await expect.poll(() => swept.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
  expect(new Set(swept)).toEqual(new Set(['server/t/waits']));
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
