import { readFileSync } from 'node:fs';
import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FLOOR } from '../../domain/floor/floor.ts';
import { QUEUES } from '../../domain/messages/names.ts';
import { FAULTS } from '../support/e2e/fault-table.ts';
import { expectUninterrupted, release, slowTask, trialsOf, untilRunning } from '../support/e2e/slow-task.ts';
import { isBegun, startOldWorker } from '../support/e2e/old-worker.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

const SOON = { timeout: 120_000, interval: 200 };
const ID = 'older';
const TRIAL = `${ID}/1`;

let stack: TestStack;
let old: Awaited<ReturnType<typeof startOldWorker>> | undefined;

beforeEach(async () => {
  stack = await startTestStack();
}, 300_000);
afterEach(async () => {
  await old?.kill();
  old = undefined;
  await stack.stop();
});

const handle = (): WorkflowHandle => stack.client.workflow.getHandle(ID);
const startWorker = (killAt?: string) => stack.startWorker({ slots: 1, ...(killAt === undefined ? {} : { killAt }) });
const alerts = () => stack.query<{ message: string }>('select message from alerts where research_id = $1', [ID]);
/** Arguments of the last run of a workflow. */
async function inputOf(id: string): Promise<unknown> {
  const { events } = await stack.client.workflow.getHandle(id).fetchHistory();
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return JSON.parse(Buffer.from(payload?.data ?? []).toString()) as unknown;
}

/**
 * Makes a research of an older version whose baseline runs: the database as a killed worker left it, and in Temporal
 * workflows that an older worker has begun. Returns the run id of the research.
 */
async function leaveOldResearch({ input = {} } = {}): Promise<string> {
  const task = await slowTask(stack, ID, { seconds: 0.4, held: true });
  const worker = await startWorker();
  await stack.startResearch(ID, { task, window: 1, budget: { trials: 2 } });
  await untilRunning(stack, ID);
  await worker.kill();
  for (const id of [ID, TRIAL]) await stack.client.workflow.getHandle(id).terminate('the test makes it an older one');
  old = await startOldWorker(stack);
  await stack.startResearch(ID, { task, ...input });
  for (const id of [ID, TRIAL])
    await vi.waitFor(async () => {
      expect((await stack.client.workflow.getHandle(id).describe()).status.name).toBe('RUNNING');
      expect(await isBegun(stack, id)).toBe(true);
    }, SOON);
  const { runId } = await handle().describe();
  await stack.query('update researches set run_id = $2 where id = $1', [ID, runId]);
  return runId;
}

test('an older research continues with its trial, though a worker dies before the workflow restarts', async () => {
  const before = await leaveOldResearch({
    input: { window: 1, budget: { trials: 9 }, proposer: 'llm', maxHistory: 500 },
  });
  await old?.kill();

  await expect(startWorker(FAULTS['worker-dies-raising-the-floor/local/random'][0])).rejects.toThrow(
    'ended before it was ready',
  );
  expect(await handle().describe()).toMatchObject({ runId: before, status: { name: 'TERMINATED' } });
  expect((await stack.client.workflow.getHandle(TRIAL).describe()).status.name).toBe('TERMINATED');

  // Either worker may do the rest.
  await Promise.all([startWorker(), startWorker()]);
  const { runId } = await handle().describe();
  expect(runId).not.toBe(before);
  for (const id of [ID, TRIAL]) {
    const memoOf = async () => (await stack.client.workflow.getHandle(id).describe()).memo;
    await vi.waitFor(async () => expect(await memoOf()).toEqual({ floor: FLOOR }), SOON);
  }
  release(stack, ID);
  // Budget and proposer come from the database, not from the older start input.
  expect(await handle().result()).toMatchObject({ reason: 'budget.trials is spent: 2 of 2' });
  await expectUninterrupted(stack, ID, 2);
  expect((await handle().describe()).runId).toBe(runId);
  const task = expect.any(String) as string;
  expect(await inputOf(ID)).toEqual({ task, tempo: 0.25, maxHistory: 500, window: 1 });
  expect(await alerts()).toEqual([]);
});

test('a paused older research waits for the end of the older worker; an alert names its unread message', async () => {
  const before = await leaveOldResearch();
  await handle().signal('pause');
  await handle().executeUpdate('setWindow', { args: [{ window: 2 }] });
  await old?.kill();
  await handle().signal('note', { text: 'larger steps' });
  old = await startOldWorker(stack, 'scores');

  const starting = startWorker();
  const wanted = /a worker of an older version still runs \(\d+@\S+\): stop it/;
  await vi.waitFor(() => expect(readFileSync(stack.logFile, 'utf8')).toMatch(wanted), SOON);
  // The log has the message first.
  await expect.poll(alerts).toEqual([{ message: expect.stringMatching(wanted) as string }]);
  expect(await handle().describe()).toMatchObject({ runId: before, status: { name: 'RUNNING' } });

  await old.kill();
  await starting;
  expect((await alerts()).map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/before it had acted on 1 message\. Send it again .*: note$/),
  );
  release(stack, ID);
  await stack.until('the run to end', 'select status is not null as done from trials where id = $1', [TRIAL]);
  await vi.waitFor(
    async () =>
      expect(await handle().query('status')).toMatchObject({
        phase: 'paused',
        window: 2,
        windowFixed: true,
        running: [],
        ended: 1,
      }),
    SOON,
  );
  expect(await trialsOf(stack, ID)).toMatchObject([{ n: 1, status: 'completed', runs: 1 }]);
  expect(await stack.query('select text from notes')).toEqual([]);

  await handle().signal('note', { text: 'larger steps' });
  await handle().signal('resume');
  await handle().result();
  await expectUninterrupted(stack, ID, 2);
  expect(await stack.query('select text from notes')).toEqual([{ text: 'larger steps' }]);
});

test('an older research that a person stopped while no worker ran waits for its run and ends as stopped', async () => {
  await leaveOldResearch();
  await old?.kill();
  await handle().signal('stop');
  await startWorker();
  release(stack, ID);
  expect(await handle().result()).toMatchObject({ reason: 'stopped by a person', trials: 1 });
  expect(await inputOf(ID)).toMatchObject({ stopping: 'drain' });
  expect(await trialsOf(stack, ID)).toMatchObject([{ n: 1, status: 'completed', runs: 1 }]);
  expect(await alerts()).toEqual([]);
});

test('an older trial whose research is closed gets its outcome; a research just started is not touched', async () => {
  await leaveOldResearch();
  await handle().terminate('by a person');
  await old?.kill();
  const fresh = await stack.client.workflow.start('research', {
    taskQueue: QUEUES.main,
    workflowId: 'fresh',
    args: [{ task: '/nowhere' }],
  });
  await startWorker();
  release(stack, ID);
  await stack.until('the run to end', 'select status is not null as done from trials where id = $1', [TRIAL]);
  expect(await trialsOf(stack, ID)).toMatchObject([{ n: 1, status: 'completed', runs: 1 }]);
  expect((await handle().describe()).status.name).toBe('TERMINATED');
  await expect(fresh.result()).rejects.toThrow();
  expect((await stack.client.workflow.getHandle('fresh').describe()).runId).toBe(fresh.firstExecutionRunId);
  expect(await stack.query('select * from restarts')).toEqual([]);
});
