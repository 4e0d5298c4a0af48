import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/client';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  expectReleased,
  release,
  slowTask,
  trialsOf,
  untilLaunched,
  untilStopped,
} from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { chainOf, steering } from '../../support/e2e/steer.ts';

let stack: TestStack;
const { begin, handleOf, rowOf, statusOf, untilEnded, untilIdle, untilPhase } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 4 });
});
afterAll(() => stack.stop());

/** Sends a signal. A client that gets no answer may send it once more, under the same key. */
const send = async (id: string, [name, args]: [string, unknown?], key: string = randomUUID()): Promise<void> =>
  void (await stack.client.workflowService.signalWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: id },
    signalName: name,
    input: { payloads: args === undefined ? [] : [defaultPayloadConverter.toPayload(args)] },
    requestId: key,
  }));

/** Sends two messages with the same words, as a person who presses twice. */
async function sendTwice(id: string, message: [string, unknown?]): Promise<void> {
  await Promise.all([send(id, message), send(id, message)]);
}

const untilCount = (what: string, from: string, [id, count]: [string, number]): Promise<void> =>
  stack.until(`${count} ${what}`, `select count(*) = $2 as done, count(*) from ${from} where research_id = $1`, [
    id,
    count,
  ]);

describe.concurrent('the same message twice in a row', () => {
  test('pause, then resume: it rests once, on one clock, and goes on to its end', async ({ expect }) => {
    const id = 'paused-twice';
    const began = Date.now();
    const handle = await begin(id, { budget: { trials: 3 } }, { held: true });
    await untilLaunched(stack, id);
    await sendTwice(id, ['pause']);
    await untilPhase(id, 'paused');
    release(stack, id);
    await untilIdle(id);
    const paused = await rowOf(id);
    expect(paused.active_seconds).toBeLessThanOrEqual((Date.now() - began) / 1000);
    await sendTwice(id, ['resume']);
    expect(await handle.result()).toMatchObject({ reason: 'budget.trials is spent: 3 of 3' });
    expect((await rowOf(id)).active_seconds).toBeLessThanOrEqual((Date.now() - began) / 1000);
    const trials = await trialsOf(stack, id);
    expect(trials.map(({ n, status, runs }) => ({ n, status, runs }))).toEqual(
      [1, 2, 3, 4].map((n) => ({ n, status: 'completed', runs: 1 })),
    );
    expect((await statusOf(id)).alerts).toEqual([]);
  });

  test('stop: runs finish nevertheless, and it ends once', async ({ expect }) => {
    const id = 'stopped-twice';
    const handle = await begin(id, {}, { held: true });
    await untilLaunched(stack, id);
    await sendTwice(id, ['stop']);
    await untilPhase(id, 'stopping');
    release(stack, id);
    expect(await handle.result()).toMatchObject({ reason: 'stopped by a person' });
    const trials = await trialsOf(stack, id);
    expect(trials.map(({ status, runs }) => ({ status, runs }))).toEqual(
      trials.map(() => ({ status: 'completed', runs: 1 })),
    );
    expect((await statusOf(id)).alerts).toEqual([]);
    await expectReleased(stack, id);
  });

  test('stop now: each run is ended once, and a stop without it takes nothing back', async ({ expect }) => {
    const id = 'ended-twice';
    const handle = await begin(id, {}, { held: true });
    await untilLaunched(stack, id, 2);
    await sendTwice(id, ['stop', { now: true }]);
    // The research may have ended by now.
    await send(id, ['stop']).catch(() => undefined);
    expect(await handle.result()).toMatchObject({ reason: 'stopped by a person' });
    const trials = await trialsOf(stack, id);
    expect(trials.map(({ status, failure }) => ({ status, failure }))).toEqual(
      trials.map(() => ({ status: 'aborted', failure: 'stopped-by-operator' })),
    );
    expect(trials.filter(({ runs }) => runs > 1)).toEqual([]);
    await expectReleased(stack, id);
  });

  test('note and inject: one under one key, two under two, each run once', async ({ expect }) => {
    const id = 'told-twice';
    const handle = await begin(id, { budget: { trials: 6 } }, { held: true });
    await untilLaunched(stack, id);
    await send(id, ['pause']);
    await untilPhase(id, 'paused');
    release(stack, id);
    await untilIdle(id);
    const note: [string, unknown] = ['note', { text: 'mind the slope' }];
    const proposal: [string, unknown] = ['inject', { files: { 'knobs.env': 'X=7\n' }, hypothesis: 'it is seven' }];
    const wanted = `(select research_id from wanted_runs where kind = 'injected') injected`;
    const [noted, proposed] = [randomUUID(), randomUUID()];
    for (let times = 0; times < 2; times += 1) {
      await send(id, note, noted);
      await send(id, proposal, proposed);
    }
    // Messages are taken in their order: those before this one have had their effect.
    await send(id, ['note', { text: 'the last' }]);
    await stack.until('the last note', `select count(*) = 1 as done from notes where research_id = $1 and text = $2`, [
      id,
      'the last',
    ]);
    await untilCount('notes', 'notes', [id, 2]);
    await untilCount('proposals', wanted, [id, 1]);
    await send(id, note);
    await send(id, proposal);
    await untilCount('notes', 'notes', [id, 3]);
    await untilCount('proposals', wanted, [id, 2]);
    await send(id, ['resume']);
    await handle.result();
    const injected = (await trialsOf(stack, id)).filter(({ kind }) => kind === 'injected');
    expect(injected.map(({ status, value, runs }) => ({ status, value, runs }))).toEqual([
      { status: 'completed', value: 0, runs: 1 },
      { status: 'completed', value: 0, runs: 1 },
    ]);
    expect(new Set(injected.map(({ seed }) => seed)).size).toBe(2);
  });

  test('inject as an update: a key is one idea, also after continue-as-new and a new start', async ({ expect }) => {
    const id = 'keyed-twice';
    const idea = { files: { 'knobs.env': 'X=7\n' }, hypothesis: 'it is seven', key: 'seven' };
    const inject = () => handleOf(id).executeUpdate('inject', { args: [idea] });
    const handle = await begin(id, { budget: { trials: 14 }, window: 3, maxHistory: 50 }, { held: true });
    expect(await Promise.all([inject(), inject()])).toEqual([{ key: 'seven' }, { key: 'seven' }]);
    release(stack, id);
    await handle.result();
    expect((await chainOf(stack, id)).runs).toBeGreaterThan(1);
    const task = join(stack.home, 'tasks', id);
    await stack.startResearch(id, { task, budget: { trials: 16 } });
    expect(await inject()).toEqual({ key: 'seven' });
    await handleOf(id).result();
    expect((await trialsOf(stack, id)).filter(({ kind }) => kind === 'injected')).toMatchObject([
      { runs: 1, value: 0 },
    ]);
  });

  test('changeTask: the task changes once, has one new baseline, and the search goes on', async ({ expect }) => {
    const id = 'changed-twice';
    await begin(id, {});
    await untilEnded(id, 2);
    const other = join(stack.home, 'tasks', `${id}-other`);
    await slowTask(stack, `${id}-other`, {
      seconds: 0.4,
      files: { 'evaluator/score.sh': `printf '{"score": -1}' >&3\n` },
    });
    await sendTwice(id, ['changeTask', { task: other }]);
    const scored = (kind: string) => `(select research_id from trials where kind = '${kind}' and value = -1) scored`;
    await untilCount('baseline under the new evaluator', scored('baseline'), [id, 1]);
    await stack.until(
      'proposals under the new evaluator',
      `select count(*) >= 3 as done from ${scored('search')} where research_id = $1`,
      [id],
    );
    await sendTwice(id, ['stop']);
    await untilStopped(stack, id);
    await handleOf(id).result();
    const baselines = (await trialsOf(stack, id)).filter(({ kind }) => kind === 'baseline');
    expect(baselines.map(({ value }) => value)).toEqual([-30.25, -1]);
    const alerts = await stack.query<{ message: string }>('select message from alerts where research_id = $1', [id]);
    // If both waited at the same time, the last is followed, and an alert says so.
    const messages = alerts.map(({ message }) => message).filter((message) => !/of 2 that waited/.test(message));
    expect(messages).toEqual([expect.stringMatching(/^task changed to .*incumbent dropped/)]);
    await expectReleased(stack, id);
  });
});
