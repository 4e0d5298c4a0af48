import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { askedTask } from '../support/e2e/asked-task.ts';
import { commandsOf, SOON } from '../support/e2e/commands.ts';
import { FAULTS } from '../support/e2e/fault-table.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';

let stack: TestStack;
let worker: TestWorker;
let task: string;

const restart = async (): Promise<void> => {
  worker = await stack.startWorker({ slots: 1 });
};
beforeAll(async () => {
  stack = await startTestStack();
  task = await askedTask(stack);
  await restart();
});
afterAll(() => stack.stop());

const commands = commandsOf(() => stack);
const { expectNothingLeft, held, start } = commands;

test('output that a command prints while no worker follows it is kept, though it is stopped then', async () => {
  const [go, gone] = [join(stack.home, 'go'), join(stack.home, 'gone')];
  const waits = `while [ ! -e ${go} ]; do sleep .05; done; echo unheard; touch ${gone}; while :; do sleep .05; done`;
  const asked = start(task, '--', `exec 2>/dev/null; trap 'echo checkpoint saved; exit' TERM; echo began; ${waits}`);
  await vi.waitFor(() => expect(asked.stdout()).toBe('began\n'), SOON);
  await worker.kill();
  writeFileSync(go, '');
  await vi.waitFor(() => expect(existsSync(gone)).toBe(true), SOON);
  asked.interrupt();
  await restart();
  expect(await asked.ended).toMatchObject({ code: 1 });
  expect(asked.stdout()).toBe('began\nunheard\ncheckpoint saved\n');
  const id = asked.id();
  await expectNothingLeft(id);
  const late = start('--attach', id);
  await late.ended;
  expect(late.stdout()).toBe('began\nunheard\ncheckpoint saved\n');
});

test.each(FAULTS['worker-dies/local/command'])(
  'a worker that dies at %s costs nothing: the command runs once, and its output comes once',
  (killAt) => commands.survive(worker, { killAt, task, restart }),
);

test('a detached command can be attached to by its id, though its workflow is gone', async () => {
  const { args: words, release, starts } = held('left');
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.stdout()).toBe('began\n'), SOON);
  const id = asked.id();
  await stack.client.workflow.getHandle(id).terminate('by hand');
  expect(await asked.ended).toMatchObject({ code: 1 });
  const again = start('--attach', id);
  await vi.waitFor(() => expect(again.stdout()).toBe('began\n'), SOON);
  await stack.until('it to be followed again', 'select max(follower) > 1 as done from runs where trial_id = $1', [id]);
  release();
  expect(await again.ended).toMatchObject({ code: 0 });
  expect(again.stdout()).toBe('began\nwent on\n');
  expect(starts()).toBe('x\n');
  await expectNothingLeft(id);
  const late = start('--attach', id);
  expect(await late.ended).toMatchObject({ code: 0 });
  expect(late.stdout()).toBe('began\nwent on\n');
});

test('SIGTERM detaches from the command, and a second Ctrl-C stops waiting for its end', async () => {
  const { args: words, release } = held('looked-on');
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.stdout()).toBe('began\n'), SOON);
  const id = asked.id();
  const attached = spawnAttached(id);
  await vi.waitFor(() => expect(attached.out()).toBe('began\n'), SOON);
  attached.kill('SIGTERM');
  expect(await attached.ended).toEqual([null, 'SIGTERM']);
  const underWay = [];
  const query = 'WorkflowType="job" and ExecutionStatus="Running"';
  for await (const { workflowId } of stack.client.workflow.list({ query })) underWay.push(workflowId);
  expect(underWay).toContain(id);
  release();
  expect(await asked.ended).toMatchObject({ code: 0 });
  expect(asked.stdout()).toBe('began\nwent on\n');

  const slow = start(task, '--', "trap '' TERM; echo slow; while :; do sleep .1; done");
  await vi.waitFor(() => expect(slow.stdout()).toBe('slow\n'), SOON);
  const other = spawnAttached(slow.id());
  await vi.waitFor(() => expect(other.out()).toBe('slow\n'), SOON);
  await worker.kill();
  other.kill('SIGINT');
  await vi.waitFor(() => expect(other.err()).toContain('stopping it; Ctrl-C again stops waiting'), SOON);
  // A second signal sooner than this counts as the same key press; a third one would end the process silently.
  await sleep(400);
  other.kill('SIGINT');
  await vi.waitFor(() => expect(other.err()).toContain('Stopped waiting; it still ends by itself.'), SOON);
  await other.ended;
  await restart();
  expect(await slow.ended).toMatchObject({ code: 1 });
  await expectNothingLeft(slow.id());
});

/** Attaches to a command in a process of its own. */
function spawnAttached(id: string) {
  const child = spawn(process.execPath, ['dist/cli/main.js', 'run', '--attach', id], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: stack.temporalAddress,
      DATABASE_URL: stack.databaseUrl,
      PERPETUA_HOME: stack.home,
    },
  });
  const [out, err] = [[] as string[], [] as string[]];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
  return {
    out: () => out.join(''),
    err: () => err.join(''),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    ended: once(child, 'exit'),
  };
}
