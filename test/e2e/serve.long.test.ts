import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { processesOf } from '../support/database/ledger.ts';
import { SOON } from '../support/e2e/commands.ts';
import { FAULTS } from '../support/e2e/fault-table.ts';
import { kill, serversOf } from '../support/e2e/servers.ts';
import { signalAll } from '../support/process/signal.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';
import { isBegun, startOldWorker } from '../support/e2e/old-worker.ts';

let stack: TestStack;
let worker: TestWorker;
let task: string;

const servers = serversOf(() => stack);
const { detailsOf, directoriesOf, end, expectNothingLeft, server, start, taskNamed, untilReady } = servers;

const restart = async (): Promise<void> => {
  worker = await stack.startWorker({ slots: 1 });
};
beforeAll(async () => {
  stack = await startTestStack();
  task = await taskNamed('served');
  await restart();
});
// A server of a failed test must not keep the only slot.
afterEach(async () => {
  const open = await stack.query<{ id: string }>('select id from jobs where ended_at is null');
  for (const { id } of open) await stack.client.workflow.getHandle(id).cancel();
});
afterAll(() => stack.stop());

test('a killed server is started again after its pause, with the next placement', async () => {
  const { words, pid, starts } = server('killed', 4853);
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.stderr()).toMatch(/ready on /), SOON);
  const id = asked.id();
  const first = await pid();
  kill(first);
  await untilReady(id, 2);
  await vi.waitFor(
    () => expect(asked.stderr()).toMatch(/it was ended by SIGKILL\nstarted again on .*\nready on /),
    SOON,
  );
  expect(starts()).toBe('x\nx\n');
  expect(await pid()).not.toBe(first);
  const [pause] = await stack.query<{ seconds: number }>(
    `select extract(epoch from b.launched_at - a.ended_at)::float8 as seconds from runs a join runs b
       on b.trial_id = a.trial_id and b.placement = 1 where a.trial_id = $1 and a.placement = 0`,
    [id],
  );
  expect(pause?.seconds).toBeGreaterThan(0.9);
  await end(asked);
});

test('a server that its machine loses is started again, after the rest of it is gone', async () => {
  const { words, pid, starts } = server('lost', 4857);
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.stderr()).toMatch(/ready on /), SOON);
  const first = await pid();
  // The other processes of the server end with its supervisor.
  signalAll(
    processesOf(stack.home)
      .filter((line) => line.includes('supervisor'))
      .map((line) => parseInt(line)),
  );
  await untilReady(asked.id(), 2);
  await vi.waitFor(
    () => expect(asked.stderr()).toMatch(/it was lost with its machine\nstarted again on .*\nready on /),
    SOON,
  );
  expect(starts()).toBe('x\nx\n');
  expect(await pid()).not.toBe(first);
  await end(asked);
});

test.each(FAULTS['worker-dies/local/server'])(
  'a worker that dies at %s costs nothing: the same process continues serving, or is started again once',
  (killAt) => servers.survive(worker, { killAt, task, restart }),
);

test('an id without the usual prefix is recognised as a server before any worker has opened it', async () => {
  await worker.kill();
  const { words, pid } = server('mine', 4858);
  const [, ready = '', , command = ''] = words;
  const args = [{ task, command, serve: { ready }, tempo: 0.25 }];
  await stack.client.workflow.start('job', { workflowId: 'mine', taskQueue: 'perpetua', args });
  const asked = start('--attach', 'mine');
  await vi.waitFor(() => expect(asked.stderr()).toContain('the server mine;'), SOON);
  await restart();
  await vi.waitFor(() => expect(asked.stderr()).toMatch(/ready on /), SOON);
  await pid();
  await end(asked);
});

test('a server whose workflow is of an older version continues as the same process under a new worker', async () => {
  const { words, pid, starts } = server('old', 4856);
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.stderr()).toMatch(/ready on /), SOON);
  const [id, before] = [asked.id(), await pid()];
  const handle = stack.client.workflow.getHandle(id);
  await worker.kill();
  await handle.terminate('as an older version goes');
  expect(await asked.ended).toMatchObject({ code: 1 });
  const old = await startOldWorker(stack);
  const input = { task, command: 'none of its row', tempo: 0.25 };
  const { firstExecutionRunId } = await stack.client.workflow.start('job', {
    workflowId: id,
    taskQueue: 'perpetua',
    args: [input],
  });
  await vi.waitFor(async () => expect(await isBegun(stack, id)).toBe(true), SOON);
  await old.kill();
  await restart();
  const { status } = await stack.client.workflow.getHandle(id, firstExecutionRunId).describe();
  expect(status.name).toBe('TERMINATED');
  const again = start('--attach', id);
  await vi.waitFor(() => expect(again.stderr()).toMatch(/ready on /), SOON);
  await vi.waitFor(async () => expect(await detailsOf(id)).toMatch(/ready on /), SOON);
  expect(await pid()).toBe(before);
  await end(again);
  expect(starts()).toBe('x\n');
});

test('a server that ends again and again leaves few directories and a short workflow history', async () => {
  const id = 'server/served/flapping';
  const restart = { firstSeconds: 0.1, mostSeconds: 0.1 };
  const handle = await stack.client.workflow.start('job', {
    workflowId: id,
    taskQueue: 'perpetua',
    args: [{ task, command: 'cat data.txt; exit 3', serve: { ready: 'never', restart }, tempo: 0.25, maxHistory: 60 }],
  });
  await stack.until('it to have run eight times', 'select max(placement) >= 8 as done from runs where trial_id = $1', [
    id,
  ]);
  expect(directoriesOf(id).length).toBeLessThanOrEqual(5);
  const [kept] = await stack.query<{ outputs: number }>(
    'select count(distinct placement)::int as outputs from outputs where job_id = $1',
    [id],
  );
  expect(kept?.outputs).toBeLessThanOrEqual(5);
  const { historyLength, runId } = await stack.client.workflow.getHandle(id).describe();
  expect(runId).not.toBe(handle.firstExecutionRunId);
  expect(historyLength).toBeLessThan(150);
  await stack.client.workflow.getHandle(id).cancel();
  expect(await stack.client.workflow.getHandle(id).result()).toMatchObject({ why: 'cancelled' });
  await expectNothingLeft(id);
});
