import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectUninterrupted,
  release,
  slowTask,
  trialsOf,
  untilRunning,
  untilStopped,
} from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';

const SEARCHES = 5;
/** Time for which a server is down. It is longer than the heartbeat timeout here, so attempts do time out. */
const AWAY_MS = 8000;

let stack: TestStack;
let worker: TestWorker;

beforeAll(async () => {
  stack = await startTestStack({ durable: true });
  worker = await stack.startWorker({ slots: 2 });
});
afterAll(() => stack.stop());

/** Both slots hold a run that waits in its middle until it is released. */
async function begin(id: string): Promise<string> {
  const task = await slowTask(stack, id, { held: true });
  await stack.startResearch(id, { task, budget: { trials: SEARCHES } });
  await untilRunning(stack, id, 2);
  return task;
}

describe('a server that dies in mid-run', () => {
  test('costs nothing when it is Temporal, killed and started again on the same file and port', async () => {
    await begin('temporal-killed');
    await stack.temporal.kill();
    // The runs end while it is away.
    release(stack, 'temporal-killed');
    await sleep(AWAY_MS);
    await stack.temporal.start();
    await untilStopped(stack, 'temporal-killed');
    await expectUninterrupted(stack, 'temporal-killed', SEARCHES);
    await stack.client.workflow.getHandle('temporal-killed').result();
  });

  test('costs nothing when it is Postgres, killed and away for ten seconds', async () => {
    await begin('postgres-killed');
    await stack.postgres.kill();
    release(stack, 'postgres-killed');
    await sleep(10_000);
    await stack.postgres.start();
    await untilStopped(stack, 'postgres-killed');
    await expectUninterrupted(stack, 'postgres-killed', SEARCHES);
    await stack.client.workflow.getHandle('postgres-killed').result();
  });

  test("costs nothing when Temporal's file is gone: the research goes on from Postgres, with its runs", async () => {
    const task = await begin('temporal-fresh');
    const before = await trialsOf(stack, 'temporal-fresh');
    await worker.kill();
    await stack.temporal.kill();
    await stack.temporal.start({ fresh: true });
    worker = await stack.startWorker({ slots: 2 });
    await stack.startResearch('temporal-fresh', { task });
    await stack.until(
      'both runs to be adopted',
      `select count(*) filter (where attempts > 1) = 2 as done, json_agg(attempts)
       from trials where research_id = 'temporal-fresh'`,
    );
    release(stack, 'temporal-fresh');
    await untilStopped(stack, 'temporal-fresh');
    const after = await expectUninterrupted(stack, 'temporal-fresh', SEARCHES);
    const identity = ({ n, kind, seed }: (typeof before)[number]) => ({ n, kind, seed });
    expect(after.slice(0, before.length).map(identity)).toEqual(before.map(identity));
  });
});
