import type { WorkflowHandle } from '@temporalio/client';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { refusal, steering } from '../../support/e2e/steer.ts';

let stack: TestStack;
const { begin, untilPhase } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

/** The events of a workflow task that asks for nothing. */
const TASK = ['workflowTaskScheduled', 'workflowTaskStarted', 'workflowTaskCompleted'];

/** The types of a history's events, in their order, each with its name if it has one. */
async function eventsOf(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).map((event) => {
    const [kind = '', attributes] = Object.entries(event).find(([key]) => key.endsWith('EventAttributes')) ?? [];
    const { signalName, activityType } = (attributes ?? {}) as { signalName?: string; activityType?: { name: string } };
    return [kind.replace('EventAttributes', ''), signalName ?? activityType?.name].filter(Boolean).join(' ');
  });
}

/** Events of tasks that no worker took in time, or whose worker was killed just then. */
const NOBODYS = /workflowTaskScheduled,(workflowTaskStarted,)?workflowTaskTimedOut,/g;

/**
 * Waits for the last events, without the tasks that no worker had. False if some of `instead` came, or if a busy
 * machine has put others between them.
 */
async function untilLast(handle: WorkflowHandle, expected: string[], instead: string[][] = []): Promise<boolean> {
  const end = Date.now() + (instead.length > 0 ? 40_000 : 120_000);
  for (;;) {
    const got = (await eventsOf(handle)).join();
    const all = got.replaceAll(NOBODYS, '');
    if (all.endsWith(`,${expected.join()}`)) return true;
    if (instead.some((one) => all.endsWith(`,${one.join()}`))) return false;
    if (Date.now() > end && instead.length > 0) return false;
    if (Date.now() > end)
      throw new Error(`expected the last events ${expected.join()}; they are ${got.split(',').slice(-12).join()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Waits until a workflow task waits for a worker. The history does not show one for an update yet. */
async function untilTaskWaits(handle: WorkflowHandle): Promise<void> {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    const { raw } = await handle.describe();
    if (raw.pendingWorkflowTask) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('expected a workflow task that waits for a worker');
}

/** Keeps notes from being written until the returned function is called. */
async function holdNotes(): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  await client.query('begin; lock table notes in access exclusive mode');
  return () => client.end();
}

const untilNoted = (id: string, text: string): Promise<void> =>
  stack.until(`the note ${text}`, 'select count(*) = 1 as done from notes where research_id = $1 and text = $2', [
    id,
    text,
  ]);

/** False if Temporal dropped the task of the update before the message came, as it does on a busy machine. */
async function messageAfterUpdate(id: string): Promise<boolean> {
  // The periodic reconcile, once a minute, does not come between.
  const handle = await begin(id, { tempo: 1 });
  await handle.signal('pause');
  const first = await stack.startWorker();
  await untilPhase(id, 'paused');
  await untilLast(handle, ['activityTaskCompleted', ...TASK]);
  const release = await holdNotes();
  await handle.signal('note', { text: 'one' });
  await untilLast(handle, ['activityTaskScheduled addNotes']);
  await handle.signal('pause');
  await untilLast(handle, ['workflowExecutionSignaled pause', ...TASK]);
  await release();
  await untilLast(handle, ['activityTaskCompleted', ...TASK, 'workflowPropertiesModified']);
  await first.kill();
  const update = handle.executeUpdate('setWindow', { args: [{ window: 3 }] });
  update.catch(() => undefined);
  await untilTaskWaits(handle);
  await handle.signal('note', { text: 'two' });
  const [before, task, message] = [
    'workflowPropertiesModified',
    'workflowTaskScheduled',
    'workflowExecutionSignaled note',
  ];
  const isAfter = await untilLast(
    handle,
    [before, task, message],
    [
      [before, message, task],
      [before, message, task, 'timerFired'],
    ],
  );
  const second = await stack.startWorker();
  expect(await update).toMatchObject({ window: 3 });
  await untilNoted(id, 'two');
  await second.kill();
  const third = await stack.startWorker();
  await handle.signal('note', { text: 'three' });
  await untilNoted(id, 'three');
  await third.kill();
  return isAfter;
}

test('quiet tasks, then an update and a message while no worker is there, stop no research', async () => {
  for (let times = 1; times <= 3; times += 1) if (await messageAfterUpdate(`quiet-${times}`)) return;
  throw new Error('expected a message after the task of an update, once in three times');
});

test('an update that is refused leaves nothing in the history, and a replay misses nothing', async () => {
  const id = 'refused';
  const handle = await begin(id, { tempo: 1 });
  await handle.signal('pause');
  const first = await stack.startWorker();
  await untilPhase(id, 'paused');
  await untilLast(handle, ['activityTaskCompleted', ...TASK]);
  const events = async (): Promise<string> => (await eventsOf(handle)).join().replaceAll(NOBODYS, '');
  const before = await events();
  const refuse = async (): Promise<void> =>
    expect(await refusal(handle.executeUpdate('setWindow', { args: [{ window: 'many' }] }))).toContain('window');
  for (let times = 0; times < 3; times += 1) await refuse();
  expect(await events()).toBe(before);
  const release = await holdNotes();
  await handle.signal('note', { text: 'one' });
  await untilLast(handle, ['activityTaskScheduled addNotes']);
  await refuse();
  await release();
  await untilNoted(id, 'one');
  await untilLast(handle, ['activityTaskCompleted', ...TASK]);
  await first.kill();
  await stack.startWorker();
  await handle.signal('note', { text: 'two' });
  await untilNoted(id, 'two');
});
