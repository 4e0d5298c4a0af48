import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import type { Status } from '../../support/e2e/steer.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

test('a namespace of others is used without search attributes if they cannot be registered, as it says', async () => {
  await stack.client.workflowService.registerNamespace({
    namespace: 'taken',
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  const connection = stack.client.connection;
  const add = () =>
    connection.operatorService.addSearchAttributes({ namespace: 'taken', searchAttributes: { PerpetuaBest: 2 } });
  // Parts of the server know a new namespace only after a while.
  await expect.poll(() => add().then(() => 'added', String), { timeout: 120_000, interval: 200 }).toBe('added');
  await stack.startWorker({ slots: 4, env: { TEMPORAL_NAMESPACE: 'taken' } });
  const task = await writeTask(join(stack.home, 'tasks', 'taken'));
  const client = new Client({ connection, namespace: 'taken' });
  const handle = await client.workflow.start('research', {
    taskQueue: 'perpetua',
    workflowId: 'taken',
    args: [{ task, tempo: 0.25, window: 2, budget: { trials: 2 } }],
  });
  expect(await handle.result()).toMatchObject({ reason: 'budget.trials is spent: 2 of 2' });
  expect(Object.keys((await handle.describe()).searchAttributes).filter((name) => name.startsWith('Perpetua'))).toEqual(
    [],
  );
  const alerts = await stack.query<{ message: string }>(`select message from alerts where research_id = 'taken'`);
  expect(alerts.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^search attributes are left out: PerpetuaBest exists in namespace taken with another type/),
  );
  const status: Status = await handle.query('status');
  expect(status.alerts).toContainEqual(expect.stringMatching(/^search attributes are left out/));
});
