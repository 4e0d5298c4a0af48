import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { askedTask } from '../../../support/e2e/asked-task.ts';
import { heldCommand } from '../../../support/e2e/held-command.ts';
import { type LiveRun, liveRun } from '../../../support/e2e/live-run.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../../support/stack.ts';

const SOON = { timeout: 60_000, interval: 100 };

let stack: TestStack;
let worker: TestWorker;
let task: string;

beforeAll(async () => {
  stack = await startTestStack();
  task = await askedTask(stack);
  worker = await stack.startWorker({ slots: 1 });
});
afterAll(() => stack.stop());

const start = (...words: string[]): LiveRun => liveRun(stack, [task, ...words]);
const untilReported = (command: LiveRun, words: string): Promise<void> =>
  vi.waitFor(() => expect(command.stderr()).toContain(words), SOON);

test('a waiting command reports that it waits for a slot, that its launch fails, and that no worker runs', async () => {
  const { args: words, release } = heldCommand(stack, 'first');
  const first = start(...words);
  await vi.waitFor(() => expect(first.stdout()).toBe('began\n'), SOON);
  const second = start('--', 'true');
  await untilReported(second, 'it waits for a free slot of the pool local');
  await stack.query(
    `create function no_run() returns trigger language plpgsql
      as $$ begin raise exception 'the shelf is full' using errcode = '55000'; end $$`,
  );
  await stack.query('create trigger no_run before insert on runs for each row execute function no_run()');
  release();
  expect(await first.ended).toMatchObject({ code: 0 });
  await untilReported(second, 'fails and is retried: the shelf is full');
  await worker.kill();
  await stack.query('drop function no_run cascade');
  const third = start('--json', '--', 'true');
  const fourth = start('--', 'true');
  await untilReported(fourth, 'no worker takes its work');
  worker = await stack.startWorker({ slots: 1 });
  for (const command of [second, third, fourth]) expect(await command.ended).toMatchObject({ code: 0 });
  expect(JSON.parse(third.stdout())).toMatchObject({
    waited: expect.arrayContaining([expect.any(String)]) as string[],
  });
  expect(third.stderr()).toBe('');
  expect(first.stderr()).not.toMatch(/waits|fails|no worker/);
});
