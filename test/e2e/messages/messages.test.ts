import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WORKFLOW_TASK_MS } from '../../../domain/research/continue-as-new.ts';
import { expectReleased, releaseOneRun, release, trialsOf, untilLaunched } from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { steering } from '../../support/e2e/steer.ts';

let stack: TestStack;
const { begin, handleOf, statusOf, untilAlerts, untilEnded, untilIdle, untilPhase } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 4 });
});
afterAll(() => stack.stop());

describe.concurrent('a message that nobody should have sent', () => {
  test('is ignored, shown, and fails nothing: wrong types, no argument, unknown names, 300 KB', async () => {
    const handle = await begin('malformed', { budget: { trials: 2 } }, { held: true });
    await handle.signal('pause');
    await untilPhase('malformed', 'paused');
    release(stack, 'malformed');
    const big = 'x'.repeat(300_000);
    await handle.signal('note', { text: 5 });
    await handle.signal('note');
    await handle.signal('note', { text: big });
    await handle.signal('note', { text: 'hello', [big]: 1 });
    await handle.signal('stop', { now: 'yes' });
    await handle.signal('inject', { files: {} });
    await handle.signal('changeTask', 7);
    await handle.signal('trialEnded', 'garbage');
    await handle.signal('halt', { now: true });
    await handle.signal('__temporal_x', 1);
    await untilAlerts('malformed', 10);
    const { alerts } = await statusOf('malformed');
    expect(alerts.map((alert) => alert.slice(0, 60))).toEqual([
      expect.stringMatching(/^signal note ignored: text: expected a text, got the number /),
      expect.stringMatching(/^signal note ignored: expected an object/),
      expect.stringMatching(/^signal note ignored: text: /),
      expect.stringMatching(/^signal note ignored: .*xxx/),
      expect.stringMatching(/^signal stop ignored: now: /),
      expect.stringMatching(/^signal inject ignored: files: /),
      expect.stringMatching(/^signal changeTask ignored: /),
      expect.stringMatching(/^signal trialEnded ignored: /),
      expect.stringMatching(/^signal halt ignored: expected one of pause, resume, stop/),
      expect.stringMatching(/^signal reserved name __temporal_x ignored: expected one of /),
    ]);
    await handle.signal('resume', { bogus: 1 });
    await untilAlerts('malformed', 11);
    const later = await statusOf('malformed');
    expect(later.phase).toBe('paused');
    expect(later.alerts.at(-1)).toBe('signal resume ignored: expected no input, or {}, got a mapping');
    await handle.signal('resume');
    expect(await handle.result()).toMatchObject({ reason: 'budget.trials is spent: 2 of 2' });
    // Two large messages came, and no word of them is written a second time.
    const { raw } = await handle.describe();
    expect(Number(raw.workflowExecutionInfo?.historySizeBytes)).toBeLessThan(700_000);
    await expectReleased(stack, 'malformed');
  });

  test('is ignored if it cannot even be decoded', async ({ expect }) => {
    const handle = await begin('undecodable', { budget: { trials: 1 } }, { held: true });
    await handle.signal('pause');
    const encoded = (encoding: string, data: string) => ({
      metadata: { encoding: Buffer.from(encoding) },
      data: Buffer.from(data),
    });
    for (const payload of [encoded('json/plain', '{"text": oops'), encoded('acme/secret', 'text')])
      await stack.client.workflowService.signalWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: 'undecodable' },
        signalName: 'note',
        input: { payloads: [payload] },
      });
    await expect.poll(async () => (await statusOf('undecodable')).alerts).toHaveLength(2);
    release(stack, 'undecodable');
    await handle.signal('resume');
    await handle.result();
  });

  test('with text that no database can hold is cleaned or refused, and stops nothing', async ({ expect }) => {
    const handle = await begin('dirty', { budget: { trials: 1 } }, { held: true });
    await handle.signal('note', { text: 'a\0b\ud800' });
    await handle.signal('note', { 'te\0xt\udc00': 'a wrong key' });
    await handle.signal('changeTask', { task: '\ud800' });
    await expect(handle.executeUpdate('setWindow', { args: [{ '\ud800': 1 }] })).rejects.toThrow();
    await handle.signal('inject', { files: { 'knobs.env': 'CASE=a\0\n' }, hypothesis: 'a NUL' });
    await handle.signal('inject', { files: { 'knobs.env': 'CASE=\ud800\n' }, hypothesis: 'a half' });
    await handle.signal('inject', { files: { 'knobs.env': 'x'.repeat(2 ** 20 + 1) }, hypothesis: 'too long' });
    const alerts = async (): Promise<string[]> => (await statusOf('dirty')).alerts;
    const refused = 'signal inject refused: ';
    for (const why of [
      'expected text, got NUL characters or halves of characters (lone surrogates); send it without them',
      'files: expected at most 1048576 bytes of mutable files in all, got 1048577; the largest is "knobs.env"',
    ])
      await expect.poll(alerts, { timeout: 60_000 }).toContainEqual(expect.stringContaining(refused + why));
    await untilAlerts('dirty', 4);
    await stack.until('the note', `select text = $1 as done, text from notes where research_id = 'dirty'`, [
      'a\ufffdb\ufffd',
    ]);
    release(stack, 'dirty');
    expect(await handle.result()).toMatchObject({ trials: 2 });
  });

  test('counts no trial twice, as a repeated or as a forged end', async () => {
    const handle = await begin('forged', { budget: { trials: 4 } }, { held: true });
    releaseOneRun(stack, 'forged');
    await untilEnded('forged', 1);
    const [first] = await stack.query<{ n: number }>(
      `select n from trials where research_id = 'forged' and status is not null limit 1`,
    );
    const end = {
      status: 'completed',
      verdict: 'keep',
      slotWaitSeconds: 0,
      readyWaitSeconds: 0,
      proposeSeconds: 0,
      slotSeconds: 1,
    };
    await handle.signal('trialEnded', { ...end, n: first?.n });
    await handle.signal('trialEnded', { ...end, n: 999 });
    await untilLaunched(stack, 'forged');
    const [running] = await stack.query<{ n: number }>(
      `select n from trials where research_id = 'forged' and status is null and started_at is not null limit 1`,
    );
    await handle.signal('trialEnded', { ...end, n: running?.n, status: 'lost' });
    await handle.signal('note', { text: 'sent after it' });
    await stack.until('the note', `select count(*) = 1 as done from notes where research_id = 'forged'`);
    expect((await statusOf('forged')).running).toContain(running?.n);
    release(stack, 'forged');
    expect(await handle.result()).toMatchObject({ trials: 5 });
    await untilIdle('forged');
    const trials = await trialsOf(stack, 'forged');
    expect(trials.map(({ n, status, runs }) => ({ n, status, runs }))).toEqual(
      [1, 2, 3, 4, 5].map((n) => ({ n, status: 'completed', runs: 1 })),
    );
    await stack.until('no slot held', `select count(*) = 0 as done from slots where trial_id like 'forged/%'`);
  });
});

describe.concurrent('the research goes on', () => {
  test('when a trial is terminated by hand: lost, its run killed, its slot free', async () => {
    const handle = await begin('closed', { budget: { trials: 2 }, window: 1 }, { held: true });
    await stack.until('the first run', `select launched_at is not null as done from runs where trial_id = 'closed/1'`);
    await handleOf('closed/1').terminate('by hand');
    await stack.until('its outcome', `select status is not null as done from trials where id = 'closed/1'`);
    expect((await trialsOf(stack, 'closed'))[0]).toMatchObject({ status: 'lost', failure: 'workflow-closed', runs: 1 });
    await stack.until('its slot to be free', `select count(*) = 0 as done from slots where trial_id = 'closed/1'`);
    await stack.until('the next run', `select launched_at is not null as done from runs where trial_id = 'closed/2'`);
    await handle.signal('stop', { now: true });
    await handle.result();
    await expectReleased(stack, 'closed');
  });

  test('when it continues as new with trials in flight: none lost, no gap, each once', async () => {
    const handle = await begin('chain', { budget: { trials: 10 }, window: 3, maxHistory: 50 });
    await handle.result();
    const { raw } = await handle.describe();
    expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
    expect(Number(raw.executionConfig?.defaultWorkflowTaskTimeout?.seconds) * 1000).toBe(WORKFLOW_TASK_MS);
    const trials = await trialsOf(stack, 'chain');
    expect(trials.map(({ n, status, runs }) => ({ n, status, runs }))).toEqual(
      trials.map((_, index) => ({ n: index + 1, status: 'completed', runs: 1 })),
    );
    expect(trials).toHaveLength(11);
    expect(await statusOf('chain')).toMatchObject({ phase: 'stopped', started: 11, ended: 11 });
    await expectReleased(stack, 'chain');
  });
});
