import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { askedTask } from '../support/e2e/asked-task.ts';
import { commandsOf, SOON } from '../support/e2e/commands.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

let stack: TestStack;
let worker: TestWorker;
let task: string;

beforeAll(async () => {
  stack = await startTestStack();
  task = await askedTask(stack);
  worker = await stack.startWorker({ slots: 1 });
});
afterAll(() => stack.stop());

const commands = commandsOf(() => stack);
const { directoriesOf, expectNothingLeft, held, start } = commands;

test('a command runs in the workspace of a task, gives its output and exit code, and leaves nothing', async () => {
  const asked = start(task, '--', 'sh', '-c', 'cat data.txt; echo "$0 $1" >&2; exit 7', "it's", 'a word');
  expect(await asked.ended).toMatchObject({ code: 7 });
  expect(asked.stdout()).toBe("here it is\nit's a word\n");
  await expectNothingLeft(asked.id());
});

test('one word is a line of the shell, and --json prints one object with the whole output', async () => {
  const asked = start(task, '--json', '--', 'cat data.txt | tr a-z A-Z');
  expect(await asked.ended).toMatchObject({ code: 0 });
  const result = JSON.parse(asked.stdout()) as { id: string };
  expect(result).toMatchObject({ why: 'ended', exitCode: 0, reason: 'exit', output: 'HERE IT IS\n' });
  await expectNothingLeft(result.id);
});

test('output comes while the command runs, and Ctrl-C ends it', async () => {
  const { args: words, release } = held('live');
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.stdout()).toBe('began\n'), SOON);
  expect(directoriesOf(asked.id())).toHaveLength(1);
  asked.interrupt();
  expect(await asked.ended).toMatchObject({ code: 1 });
  expect(asked.stderr()).toContain('It was stopped.');
  expect(asked.stdout()).toBe('began\n');
  await expectNothingLeft(asked.id());
  release();
});

test('a limit of the task ends the command, and the message names the limit', async () => {
  const short = await writeTask(join(stack.home, 'tasks', 'short'), {
    task: {
      name: 'short',
      run: {
        command: 'sh run.sh',
        budget: { seconds: 1, kind: 'wall' },
        artefacts: [{ path: 'out.txt' }],
        timeoutSeconds: 2,
        sandbox: 'none',
      },
    },
  });
  const asked = start(short, '--', 'echo still; sleep 600');
  expect(await asked.ended).toMatchObject({ code: 1 });
  expect(asked.stderr()).toContain('A limit of its task ended it: wall.');
  expect(asked.stdout()).toBe('still\n');
  await expectNothingLeft(asked.id());
});

test('a worker that dies in mid-run costs nothing: the command runs once, and its output comes once', async () => {
  const restart = async (): Promise<void> => {
    worker = await stack.startWorker({ slots: 1 });
  };
  await commands.survive(worker, { killAt: 'mid-run', task, restart });
});

test('a command that cannot run is refused with its reason', async () => {
  const poolless = start(task, '--pool', 'nowhere', '--', 'true');
  expect(await poolless.ended).toMatchObject({ code: 1 });
  expect(poolless.stderr()).toContain('no machine offers a slot of the pool nowhere');
  expect(await start(task).ended).toMatchObject({ code: 2 });
  expect(await start('--attach', 'command/asked/unknown').ended).toMatchObject({ code: 2 });
});
