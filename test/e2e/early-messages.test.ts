import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { slowTask, trialsOf, untilLaunched } from '../support/faults.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { steering } from '../support/steer.ts';

let stack: TestStack;
const { begin, handleOf, statusOf, untilPhase } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

/** Versions of the task that trials of a research ran, and the one that it has now. */
async function versionsOf(id: string): Promise<{ ran: string[]; now: string }> {
  const [row] = await stack.query<{ ran: string[]; now: string }>(
    `select array_agg(distinct trials.task_hash) as ran, min(researches.task_hash) as now
       from trials join researches on researches.id = trials.research_id where researches.id = $1`,
    [id],
  );
  if (!row) throw new Error(`expected a research ${id}`);
  return row;
}

test('what people ask before a research is open is done once it is, and before its first trial', async () => {
  const handle = await begin('early', { budget: { trials: 1 }, window: 2 });
  await slowTask(stack, 'early-other', { seconds: 0.4, files: { 'workspace/README': 'another text\n' } });
  await handle.signal('pause');
  await handle.signal('inject', { files: { 'knobs.env': 'X=7\n' } });
  await handle.signal('note', { text: 'smaller steps' });
  await handle.signal('changeTask', { task: join(stack.home, 'tasks', 'early-other') });
  await handle.signal('resume');
  const budget = handle.executeUpdate('setBudget', { args: [{ trials: 3 }] });
  const worker = await stack.startWorker({ slots: 4 });
  expect(await budget).toMatchObject({ trials: 3 });
  expect(await handle.result()).toMatchObject({ reason: 'budget.trials is spent: 3 of 3' });
  expect((await statusOf('early')).alerts.filter((alert) => alert.startsWith('signal'))).toEqual([]);
  const { ran, now } = await versionsOf('early');
  expect(ran).toEqual([now]);
  const [baseline, first] = await trialsOf(stack, 'early');
  expect([baseline?.kind, first?.kind]).toEqual(['baseline', 'injected']);
  expect(await stack.query(`select text from notes where research_id = 'early'`)).toEqual([{ text: 'smaller steps' }]);
  await worker.stop();
});

test('of what switches a research on and off before it is open, the last counts', async () => {
  const handle = await begin('unbegun', {});
  for (const name of ['pause', 'resume', 'pause']) await handle.signal(name);
  const worker = await stack.startWorker({ slots: 4 });
  await untilPhase('unbegun', 'paused');
  await handle.signal('stop');
  await handle.result();
  expect(await trialsOf(stack, 'unbegun')).toEqual([]);
  await worker.stop();
});

test('a stop that comes before a research is open again ends the runs that it finds, and waits for no look', async () => {
  await begin('again', { tempo: 1 }, { held: true });
  const first = await stack.startWorker({ slots: 4 });
  await untilLaunched(stack, 'again');
  await first.stop();
  await handleOf('again').terminate('by hand');
  const handle = await begin('again', { tempo: 1 }, { held: true });
  await handle.signal('stop', { now: true });
  const worker = await stack.startWorker({ slots: 4 });
  expect(await handle.result()).toMatchObject({ reason: 'stopped by a person' });
  const { events } = await handle.fetchHistory();
  const asked = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
  expect(asked).toContain('openResearch');
  expect(asked).not.toContain('reconcile');
  const trials = await trialsOf(stack, 'again');
  expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'aborted'));
  await worker.stop();
});

test('what is asked of a research that is cancelled before it is open again is refused with a word', async () => {
  const handle = await begin('again', {});
  await handle.signal('inject', { files: { 'knobs.env': 'X=7\n' } });
  await handle.cancel();
  const worker = await stack.startWorker({ slots: 4 });
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(await stack.query(`select message from alerts where message like 'signal%'`)).toEqual([
    { message: 'signal inject refused: the research was cancelled before it was open' },
  ]);
  await worker.stop();
});

test('what comes to a research that was cancelled before it was open keeps it from nothing', async () => {
  const handle = await begin('gone', {});
  await handle.signal('note', { text: 'too late' });
  await handle.signal('halt');
  await handle.cancel();
  const worker = await stack.startWorker({ slots: 4 });
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  await worker.stop();
});
