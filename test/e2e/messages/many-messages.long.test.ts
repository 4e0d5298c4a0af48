import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MANY_SIGNALS } from '../../../domain/messages/names.ts';
import { release, untilLaunched } from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { chainOf, sentBy, steering } from '../../support/e2e/steer.ts';

let stack: TestStack;
let worker: TestWorker;
const { begin, untilAlerts, untilPhase } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
  worker = await stack.startWorker({ slots: 4 });
});
afterAll(() => stack.stop());

describe('many messages', () => {
  test('make a research continue as new once its history has 2,000 events', async () => {
    const handle = await begin('long', { budget: { trials: 1 }, tempo: 1 });
    await handle.signal('pause');
    await untilPhase('long', 'paused');
    const forged = { n: 4711, status: 'completed' };
    const events = async (): Promise<number> => (await handle.describe()).historyLength;
    while ((await events()) < 2000)
      await Promise.all(Array.from({ length: 100 }, () => handle.signal('trialEnded', forged)));
    // The server itself suggests a continue-as-new at twice as many.
    expect(await events()).toBeLessThan(3000);
    await handle.signal('resume');
    await handle.result();
    expect((await chainOf(stack, 'long')).runs).toBe(2);
  });

  test('that came while no worker was there are all taken, in their order', async () => {
    const handle = await begin('many', { budget: { trials: 1 }, window: 1 }, { held: true });
    await untilLaunched(stack, 'many');
    await handle.signal('pause');
    await untilPhase('many', 'paused');
    await worker.stop();
    // Their sender is in the events, although the workflow receives them as one signal.
    const page = sentBy(stack, 'page').getHandle('many');
    const comment = `#${'x'.repeat(600_000)}\n`;
    for (let sent = 0; sent < 8; sent += 1)
      await handle.signal('inject', { files: { 'knobs.env': `X=${sent}\n${comment}` } });
    // More at once than the server takes in one answer of a worker, and more than the SDK can take one by one in time.
    const notes = [...Array<string>(360).fill('€'.repeat(4000)), ...Array<string>(3000).fill('small')];
    for (let sent = 0; sent < notes.length; sent += 20)
      await Promise.all(notes.slice(sent, sent + 20).map((text) => page.signal('note', { text })));
    for (const name of ['one', 'two', 'three']) await handle.signal(name);
    await handle.signal(MANY_SIGNALS, { toString: 1 });
    worker = await stack.startWorker({ slots: 4 });
    await stack.until(
      'the proposals',
      `select count(*) = 8 as done, count(*) from wanted_runs where research_id = 'many' and kind = 'injected'`,
    );
    await stack.until('the notes', `select count(*) = $1 as done, count(*) from notes where research_id = 'many'`, [
      notes.length,
    ]);
    await stack.until(
      'an event of each note with its sender',
      `select count(*) = $1 as done, count(*) from events
       where research_id = 'many' and kind = 'note-added' and data->>'sender' = 'page'`,
      [notes.length],
    );
    await untilAlerts('many', 4);
    release(stack, 'many');
    await handle.signal('stop');
    await handle.result();
  });
});
