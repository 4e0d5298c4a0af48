import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { release, untilLaunched } from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { steering } from '../../support/e2e/steer.ts';

let stack: TestStack;
const { begin, statusOf, untilAlerts } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 4 });
});
afterAll(() => stack.stop());

describe('large messages', () => {
  test('that leave too little room for our own words are refused, and stop nothing', async () => {
    const handle = await begin('brim', { budget: { trials: 1 } }, { held: true });
    const brim = (args: (fill: string) => object) =>
      args('x'.repeat(2 * 2 ** 20 - 60 - JSON.stringify(args('')).length));
    await handle.signal(
      'inject',
      brim((fill) => ({ files: { 'knobs.env': fill } })),
    );
    await handle.signal(
      'changeTask',
      brim((task) => ({ task })),
    );
    const update = brim((task) => ({ task }));
    await expect(handle.executeUpdate('changeTask', { args: [update] })).rejects.toThrow();
    await untilAlerts('brim', 2);
    expect((await statusOf('brim')).alerts).toEqual([
      expect.stringMatching(
        /^signal inject refused: files: expected at most 1048576 bytes of mutable files in all, got/,
      ),
      expect.stringMatching(/^signal changeTask refused: task: expected .* at most 4096 characters, got 20970/),
    ]);
    release(stack, 'brim');
    expect(await handle.result()).toMatchObject({ trials: 2 });
  });

  test('make a research continue as new before the server ends it, also during a long run', async () => {
    const handle = await begin('large', { window: 1, tempo: 1 }, { held: true });
    await untilLaunched(stack, 'large');
    const { raw } = await handle.describe();
    // The end of a trial that is not under way changes nothing, and wakes nobody.
    const forged = { n: 4711, status: 'completed', more: 'x'.repeat(1_900_000) };
    for (let sent = 0; sent < 8; sent += 1) await handle.signal('trialEnded', forged);
    const runId = async (): Promise<unknown> => (await handle.describe()).raw.workflowExecutionInfo?.execution?.runId;
    await expect.poll(runId, { timeout: 240_000 }).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
    expect((await statusOf('large')).running).toHaveLength(1);
    await handle.signal('stop', { now: true });
    await handle.result();
  });
});
