import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { slowTask, trialsOf, untilLaunched } from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { refusal, steering } from '../../support/e2e/steer.ts';

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

test('messages before a research is open take effect once it is, and before its first trial', async () => {
  const handle = await begin('early', { budget: { trials: 1 }, window: 2 });
  await slowTask(stack, 'early-other', { seconds: 0.4, task: { name: 'changed' } });
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
  expect((await statusOf('early')).task).toBe('changed');
  const [baseline, first] = await trialsOf(stack, 'early');
  expect([baseline?.kind, first?.kind]).toEqual(['baseline', 'injected']);
  expect(await stack.query(`select text from notes where research_id = 'early'`)).toEqual([{ text: 'smaller steps' }]);
  await worker.stop();
});

test.each([
  ['setWindow', { window: 1 }, 1],
  ['setBudget', { trials: 1 }, 2],
  ['changeTask', {}, 8],
])('%s before a research is open holds for its first trials', async (name, args, most) => {
  const id = `early-${name}`;
  const handle = await begin(id, { window: 'auto' }, { held: true });
  const changed = await slowTask(stack, `${id}-now`, { seconds: 0.4 });
  const asked = handle.executeUpdate(name, { args: [name === 'changeTask' ? { task: changed } : args] });
  const worker = await stack.startWorker({ slots: 4 });
  await asked;
  await untilLaunched(stack, id);
  const { ran, now } = await versionsOf(id);
  expect(ran).toEqual([now]);
  const first = await stack.query(`select 1 from trials where research_id = $1 and admission like '%/1'`, [id]);
  expect(first.length).toBeLessThanOrEqual(most);
  await handle.signal('stop', { now: true });
  await handle.result();
  await worker.stop();
});

test('the last pause or resume before a research is open counts', async () => {
  const handle = await begin('unbegun', {});
  for (const name of ['pause', 'resume', 'pause']) await handle.signal(name);
  const worker = await stack.startWorker({ slots: 4 });
  await untilPhase('unbegun', 'paused');
  await handle.signal('stop');
  await handle.result();
  expect(await trialsOf(stack, 'unbegun')).toEqual([]);
  await worker.stop();
});

test('a stop before a research is open again ends the runs that it finds, and waits for no reconcile', async () => {
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

test('a message to a research that is cancelled before it is open again is kept or refused', async () => {
  const handle = await begin('again', {});
  await handle.signal('inject', { files: { 'knobs.env': 'X=7\n' } });
  await handle.cancel();
  const worker = await stack.startWorker({ slots: 4 });
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  // The server may cancel the opening before a worker begins it.
  const kept = await stack.query(`select 1 from wanted_runs where research_id = 'again' and kind = 'injected'`);
  const alerts = await stack.query<{ message: string }>(`select message from alerts where message like 'signal%'`);
  const refused = 'signal inject refused: the research was not opened: cancelled by a person';
  expect([kept.length, ...alerts.map(({ message }) => message)]).toEqual(kept.length > 0 ? [1] : [0, refused]);
  await worker.stop();
});

test('messages to a research that was cancelled before it was open do not hold up its end', async () => {
  const handle = await begin('gone', {});
  await handle.signal('note', { text: 'too late' });
  await handle.signal('halt');
  await handle.cancel();
  const worker = await stack.startWorker({ slots: 4 });
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  const rows = await stack.query<{ phase: string }>(`select phase from researches where id = 'gone'`);
  expect(rows.filter(({ phase }) => phase !== 'stopped')).toEqual([]);
  expect(await trialsOf(stack, 'gone')).toEqual([]);
  await worker.stop();
});

test('messages to a research that then cannot be opened are refused with the reason', async () => {
  const first = await begin('renamed', { budget: { trials: 1 } });
  const worker = await stack.startWorker({ slots: 4 });
  await first.result();
  await worker.stop();
  const other = await slowTask(stack, 'of-another-name', { seconds: 0.4, task: { name: 'another' } });
  await stack.startResearch('renamed', { task: other });
  const again = handleOf('renamed');
  await again.signal('note', { text: 'smaller steps' });
  const update = refusal(again.executeUpdate('setWindow', { args: [{ window: 2 }] }));
  const next = await stack.startWorker({ slots: 4 });
  const why = 'the research was not opened: research renamed already exists, on the task parabola';
  expect(await update).toContain(why);
  await expect(again.result()).rejects.toThrow();
  const alerts = await stack.query<{ message: string }>(`select message from alerts where research_id = 'renamed'`);
  expect(alerts.map(({ message }) => message)).toEqual([expect.stringContaining(`signal note refused: ${why}`)]);
  await next.stop();
});
