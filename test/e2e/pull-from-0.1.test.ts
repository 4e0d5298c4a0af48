import { readFileSync, rmSync } from 'node:fs';
import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FLOOR } from '../../domain/floor/floor.ts';
import { QUEUES } from '../../domain/names.ts';
import { FAULTS } from '../support/e2e/fault-table.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { holdFile, ID, leaveOldResearch, startOldWorker, startsIn, TRIAL } from './pull/old-stack.ts';

const SOON = { timeout: 120_000, interval: 200 };

let stack: TestStack;
let old: Awaited<ReturnType<typeof startOldWorker>>;

beforeEach(async () => {
  stack = await startTestStack();
  old = await startOldWorker(stack);
}, 300_000);
afterEach(async () => {
  await old.kill();
  await stack.stop();
});

const handle = (): WorkflowHandle => stack.client.workflow.getHandle(ID);
const release = (): void => rmSync(holdFile(stack), { force: true });
const trials = () =>
  stack.query<{ n: number; status: string | null; value: number | null; placements: number }>(
    `select n, status, value, (select count(*)::int from runs where trial_id = trials.id) as placements
     from trials where research_id = $1 order by n`,
    [ID],
  );
/** Arguments of the last run of a workflow. */
async function inputOf(id: string): Promise<unknown> {
  const { events } = await stack.client.workflow.getHandle(id).fetchHistory();
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return JSON.parse(Buffer.from(payload?.data ?? []).toString()) as unknown;
}
/** Whether the research has done something since a signal came. */
async function isSeen(name: string): Promise<boolean> {
  const events = (await handle().fetchHistory()).events ?? [];
  const at = events.findIndex((event) => event.workflowExecutionSignaledEventAttributes?.signalName === name);
  return at >= 0 && events.slice(at).some((event) => event.workflowTaskCompletedEventAttributes);
}
/** How the trial ended whose run 0.1 had begun. */
const ADOPTED = { n: 2, status: 'completed', value: -20.7207, placements: 1 };

test('a research of 0.1 goes on from its rows, with the run that was under way, though a worker dies between its end and its new beginning', async () => {
  const before = await leaveOldResearch(stack, { budget: { trials: 9 }, proposer: 'llm', maxHistory: 500 });
  await old.kill();

  await expect(stack.startWorker({ killAt: FAULTS['worker-dies-raising-the-floor/local/random'][0] })).rejects.toThrow(
    'ended before it was ready',
  );
  for (const id of [ID, TRIAL]) {
    const { status, runId } = await stack.client.workflow.getHandle(id).describe();
    expect([status.name, id === ID ? runId : before]).toEqual(['TERMINATED', before]);
  }

  // Two at once, of which one does the rest.
  await Promise.all([stack.startWorker(), stack.startWorker()]);
  expect((await handle().describe()).runId).not.toBe(before);
  for (const id of [ID, TRIAL]) {
    const memoOf = async () => (await stack.client.workflow.getHandle(id).describe()).memo;
    const memo = { floor: FLOOR, ...(id === ID ? { after: before } : {}) };
    await vi.waitFor(async () => expect(await memoOf()).toEqual(memo), SOON);
  }
  release();
  // Its arguments were applied then: the database has later limits, and its proposer.
  expect(await handle().result()).toMatchObject({ reason: 'budget.trials is spent: 3 of 3' });
  const after = await trials();
  expect(after.map(({ n, status }) => [n, status])).toEqual([1, 2, 3, 4].map((n) => [n, 'completed']));
  expect(after[1]).toEqual(ADOPTED);
  expect(startsIn(stack)).toHaveLength(3);
  expect(new Set(startsIn(stack)).size).toBe(3);
  expect(await inputOf(ID)).toEqual({ task: expect.any(String) as string, tempo: 0.25, maxHistory: 500 });
  const again = [];
  for await (const run of stack.client.workflow.list({ query: `WorkflowId = '${ID}'` })) again.push(run);
  expect(again).toHaveLength(2);
});

test('one that a person paused waits until a worker of 0.1 is gone, stays paused, and has what it was told meanwhile', async () => {
  const before = await leaveOldResearch(stack, {});
  await handle().executeUpdate('setWindow', { args: [{ window: 2 }] });
  await handle().signal('pause');
  await vi.waitFor(async () => expect(await isSeen('pause')).toBe(true), SOON);
  await old.kill();
  await handle().signal('note', { text: 'larger steps' });
  old = await startOldWorker(stack, 'scores');

  const starting = stack.startWorker();
  const says = /a worker of an older version still polls \(\d+@\S+\): stop it/;
  await vi.waitFor(() => expect(readFileSync(stack.logFile, 'utf8')).toMatch(says), SOON);
  // Its log says it first.
  const alerts = () => stack.query<{ message: string }>('select message from alerts where research_id = $1', [ID]);
  await expect.poll(alerts).toEqual([{ message: expect.stringMatching(says) as string }]);
  expect((await handle().describe()).runId).toBe(before);
  expect((await handle().describe()).status.name).toBe('RUNNING');

  await old.kill();
  await starting;
  release();
  await stack.until('the run to end', 'select status is not null as done from trials where id = $1', [TRIAL]);
  await stack.until('the pause', `select phase = 'paused' as done, phase from researches where id = $1`, [ID]);
  await stack.until('the note', `select count(*) = 1 as done from notes where text = 'larger steps'`);
  expect(await handle().query('status')).toMatchObject({ phase: 'paused', window: 2, windowFixed: true });
  expect((await trials()).at(-1)).toEqual(ADOPTED);

  await handle().signal('resume');
  await handle().result();
  expect((await trials()).map(({ n }) => n)).toEqual([1, 2, 3, 4]);
});

test('one that cannot go on, since the new worker has no model, says so and names what it has not heard, once', async () => {
  const before = await leaveOldResearch(stack, {});
  await handle().signal('pause');
  await vi.waitFor(async () => expect(await isSeen('pause')).toBe(true), SOON);
  await old.kill();
  await handle().signal('note', { text: 'larger steps' });
  await stack.query(`update researches set proposer = 'llm' where id = $1`, [ID]);
  await stack.startWorker();
  await expect(handle().result()).rejects.toThrow();
  const { memo, status } = await handle().describe();
  expect([status.name, memo]).toEqual(['FAILED', { floor: FLOOR, after: before }]);
  const alerts = await stack.query<{ message: string }>('select message from alerts where research_id = $1', [ID]);
  expect(alerts.map(({ message }) => message)).toEqual([
    expect.stringContaining('has not heard: pause; note {"text":"larger steps"}.'),
  ]);
  expect(await stack.query('select * from restarts where workflow_id = $1', [ID])).toEqual([]);
  release();
});

test('a trial of 0.1 whose research is closed goes on to its outcome, and what somebody has just started is left as it is', async () => {
  await leaveOldResearch(stack, {});
  await handle().terminate('by a person');
  await old.kill();
  const fresh = await stack.client.workflow.start('research', {
    ...{ taskQueue: QUEUES.main, workflowId: 'fresh', args: [{ task: '/nowhere' }] },
  });
  await stack.startWorker();
  release();
  await stack.until('the run to end', 'select status is not null as done from trials where id = $1', [TRIAL]);
  expect(await trials()).toEqual([expect.objectContaining({ n: 1 }), ADOPTED]);
  expect((await handle().describe()).status.name).toBe('TERMINATED');
  await expect(fresh.result()).rejects.toThrow();
  expect((await stack.client.workflow.getHandle('fresh').describe()).runId).toBe(fresh.firstExecutionRunId);
  expect(await stack.query('select * from restarts')).toEqual([]);
});
