import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runName } from '../../infra/compute/run-protocol/paths.ts';
import { askedTask } from '../support/e2e/asked-task.ts';
import { type Held, heldCommand } from '../support/e2e/held-command.ts';
import { FAULTS } from '../support/e2e/fault-table.ts';
import { expectJobsClosed, type LiveRun, liveRun, runDirectories } from '../support/e2e/live-run.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

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

const start = (...argv: string[]): LiveRun => liveRun(stack, argv);
const held = (name: string): Held => heldCommand(stack, name);

const expectNothingLeft = async (id: string): Promise<void> => {
  await expectJobsClosed(stack);
  expect(directoriesOf(id)).toEqual([]);
};

const directoriesOf = (id: string): string[] => {
  const name = runName({ trialId: id, placement: 0 });
  return runDirectories(stack, (found) => found === name);
};

test('a command runs in the workspace of a task, its output and its exit code are its own, and nothing stays', async () => {
  const asked = start(task, '--', 'sh', '-c', 'cat data.txt; echo "$0 $1" >&2; exit 7', "it's", 'a word');
  expect(await asked.ended).toMatchObject({ code: 7 });
  expect(asked.out()).toBe("here it is\nit's a word\n");
  await expectNothingLeft(asked.id());
});

test('one word is a line of the shell, and --json one object with all that it said', async () => {
  const asked = start(task, '--json', '--', 'cat data.txt | tr a-z A-Z');
  expect(await asked.ended).toMatchObject({ code: 0 });
  const result = JSON.parse(asked.out()) as { id: string };
  expect(result).toMatchObject({ why: 'ended', exitCode: 0, reason: 'exit', output: 'HERE IT IS\n' });
  await expectNothingLeft(result.id);
});

test('output comes while the command runs, and Ctrl-C ends it', async () => {
  const { words, release } = held('live');
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.out()).toBe('began\n'), SOON);
  expect(directoriesOf(asked.id())).toHaveLength(1);
  asked.interrupt();
  expect(await asked.ended).toMatchObject({ code: 1 });
  expect(asked.told()).toContain('It was stopped.');
  expect(asked.out()).toBe('began\n');
  await expectNothingLeft(asked.id());
  release();
});

test('what a command says while no worker follows it is there though it is stopped then', async () => {
  const [go, gone] = [join(stack.home, 'go'), join(stack.home, 'gone')];
  const waits = `while [ ! -e ${go} ]; do sleep .05; done; echo unheard; touch ${gone}; while :; do sleep .05; done`;
  const asked = start(task, '--', `exec 2>/dev/null; trap 'echo checkpoint saved; exit' TERM; echo began; ${waits}`);
  await vi.waitFor(() => expect(asked.out()).toBe('began\n'), SOON);
  await worker.kill();
  writeFileSync(go, '');
  await vi.waitFor(() => expect(existsSync(gone)).toBe(true), SOON);
  asked.interrupt();
  worker = await stack.startWorker({ slots: 1 });
  expect(await asked.ended).toMatchObject({ code: 1 });
  expect(asked.out()).toBe('began\nunheard\ncheckpoint saved\n');
  const id = asked.id();
  await expectNothingLeft(id);
  const late = start('--attach', id);
  await late.ended;
  expect(late.out()).toBe('began\nunheard\ncheckpoint saved\n');
});

test('a limit of the task ends it, and says which', async () => {
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
  expect(asked.told()).toContain('It was ended by a limit of its task: wall.');
  expect(asked.out()).toBe('still\n');
  await expectNothingLeft(asked.id());
});

test.each(FAULTS['worker-dies/local/command'])(
  'a worker that dies at %s costs nothing: the command runs once, and says everything once',
  async (point) => {
    const { words, release, starts } = held(point);
    worker.dieAt(point);
    const asked = start(task, ...words);
    if (point === 'run-ended' || point === 'job-ended') release();
    await worker.gone;
    expect(worker.process.signalCode).toBe('SIGKILL');
    worker = await stack.startWorker({ slots: 1 });
    if (existsSync(join(stack.home, `hold-${point}`))) release();
    expect(await asked.ended).toMatchObject({ code: 0 });
    expect(asked.out()).toBe('began\nwent on\n');
    expect(starts()).toBe('x\n');
    await expectNothingLeft(asked.id());
  },
);

test('a command that was left to itself is gone on with by its id, though its workflow is gone', async () => {
  const { words, release, starts } = held('left');
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.out()).toBe('began\n'), SOON);
  const id = asked.id();
  await stack.client.workflow.getHandle(id).terminate('by hand');
  expect(await asked.ended).toMatchObject({ code: 1 });
  const again = start('--attach', id);
  await vi.waitFor(() => expect(again.out()).toBe('began\n'), SOON);
  await stack.until('it to be followed anew', 'select max(follower) > 1 as done from runs where trial_id = $1', [id]);
  release();
  expect(await again.ended).toMatchObject({ code: 0 });
  expect(again.out()).toBe('began\nwent on\n');
  expect(starts()).toBe('x\n');
  await expectNothingLeft(id);
  const late = start('--attach', id);
  expect(await late.ended).toMatchObject({ code: 0 });
  expect(late.out()).toBe('began\nwent on\n');
});

test('TERM to a terminal leaves the command, and a second Ctrl-C waits for its end no more', async () => {
  const { words, release } = held('looked-on');
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.out()).toBe('began\n'), SOON);
  const id = asked.id();
  const looking = spawnAttached(id);
  await vi.waitFor(() => expect(looking.out()).toBe('began\n'), SOON);
  looking.kill('SIGTERM');
  expect(await looking.ended).toEqual([null, 'SIGTERM']);
  const underWay = [];
  const query = 'WorkflowType="job" and ExecutionStatus="Running"';
  for await (const { workflowId } of stack.client.workflow.list({ query })) underWay.push(workflowId);
  expect(underWay).toContain(id);
  release();
  expect(await asked.ended).toMatchObject({ code: 0 });
  expect(asked.out()).toBe('began\nwent on\n');

  const slow = start(task, '--', "trap '' TERM; echo slow; while :; do sleep .1; done");
  await vi.waitFor(() => expect(slow.out()).toBe('slow\n'), SOON);
  const other = spawnAttached(slow.id());
  await vi.waitFor(() => expect(other.out()).toBe('slow\n'), SOON);
  await worker.kill();
  other.kill('SIGINT');
  await vi.waitFor(() => expect(other.told()).toContain('it is being stopped; Ctrl-C again stops waiting'), SOON);
  // A second signal sooner than this after the first is taken for the same press; a third one would end it without a word.
  await sleep(400);
  other.kill('SIGINT');
  await vi.waitFor(() => expect(other.told()).toContain('Not waited for: it ends by itself.'), SOON);
  await other.ended;
  worker = await stack.startWorker({ slots: 1 });
  expect(await slow.ended).toMatchObject({ code: 1 });
  await expectNothingLeft(slow.id());
});

/** A terminal of its own process. */
function spawnAttached(id: string) {
  const child = spawn(process.execPath, ['dist/cli/main.js', 'run', '--attach', id], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...{ TEMPORAL_ADDRESS: stack.temporalAddress, DATABASE_URL: stack.databaseUrl, PERPETUA_HOME: stack.home },
    },
  });
  const [out, told] = [[] as string[], [] as string[]];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => told.push(chunk.toString()));
  return {
    out: () => out.join(''),
    told: () => told.join(''),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    ended: once(child, 'exit'),
  };
}

test('what cannot run is refused with its reason', async () => {
  const poolless = start(task, '--pool', 'nowhere', '--', 'true');
  expect(await poolless.ended).toMatchObject({ code: 1 });
  expect(poolless.told()).toContain('got nowhere, which has none');
  expect(await start(task).ended).toMatchObject({ code: 2 });
  expect(await start('--attach', 'command/asked/unknown').ended).toMatchObject({ code: 2 });
});
