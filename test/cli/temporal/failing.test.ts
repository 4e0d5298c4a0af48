import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { run } from '../support/cli.ts';
import { writeTask } from '../../support/tasks.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { join } from 'node:path';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 1 });
});
afterAll(() => stack.stop());

interface Status {
  phase: string;
  failing: { workflowId: string; trial: number | null; activity: string | null; attempt: number; message: string }[];
  temporalError: string | null;
}

const perpetua = (...argv: string[]) =>
  run(argv, {
    env: {
      PATH: '/usr/bin:/bin',
      DATABASE_URL: stack.databaseUrl,
      TEMPORAL_ADDRESS: stack.temporalAddress,
      PERPETUA_HOME: stack.home,
    },
  });
const statusOf = async (id: string): Promise<Status> => (await perpetua('status', id, '--json')).json()[0] as Status;
/** The failure of a workflow in the status of a research, once it is reported. */
const failureIn = (id: string, workflowId = id) =>
  vi.waitFor(
    async () => {
      const found = (await statusOf(id)).failing?.find((failure) => failure.workflowId === workflowId);
      expect(found).toBeDefined();
      return found;
    },
    { timeout: 60_000, interval: 500 },
  );

/** Makes a write fail until the returned function is called. */
async function breakWrites(name: string, when: string): Promise<() => Promise<void>> {
  await stack.query(`
    create function ${name}() returns trigger language plpgsql
    as $$ begin raise exception 'the shelf is full' using errcode = '55000'; end $$`);
  await stack.query(`create trigger ${name} before ${when} execute function ${name}()`);
  return async () => void (await stack.query(`drop function ${name} cascade`));
}

const task = (id: string) => writeTask(join(stack.home, `task-${id}`), { task: { name: id } });

test('an activity of a trial that keeps failing is in the status, with trial, attempts and last failure', async () => {
  const mend = await breakWrites('no_settle', 'update on trials for each row when (new.status is not null)');
  await stack.startResearch('settles', { task: await task('settles'), budget: { trials: 1 } });
  expect(await failureIn('settles', 'settles/1')).toEqual({
    workflowId: 'settles/1',
    trial: 1,
    activity: 'score',
    attempt: expect.toSatisfy((attempt: number) => attempt >= 3),
    message: 'the shelf is full',
    since: expect.stringMatching(/^20.*Z$/),
    nextAttemptSeconds: expect.toSatisfy((seconds: unknown) => seconds === null || Number(seconds) >= 0),
  });
  // The next trial may have the same failure by now: then one line is for both.
  const line = /^failing: score of (#1|2 trials \(#1, #2\)) fails, attempt \d+, for .*: the shelf is full$/m;
  await vi.waitFor(async () => expect((await perpetua('status', 'settles')).stdout).toMatch(line), {
    timeout: 60_000,
    interval: 500,
  });

  await mend();
  await vi.waitFor(async () => expect((await statusOf('settles')).failing).toEqual([]), {
    timeout: 60_000,
    interval: 500,
  });
  await stack.client.workflow.getHandle('settles').result();
});

test('an activity of the research that keeps failing is in the status, too', async () => {
  const mend = await breakWrites('no_admit', 'insert on trials for each row');
  await stack.startResearch('admits', { task: await task('admits'), budget: { trials: 1 } });
  expect(await failureIn('admits')).toMatchObject({ trial: null, activity: 'admit', message: 'the shelf is full' });
  await mend();
  await stack.client.workflow.getHandle('admits').result();
});

test('a restarted research that no worker can open is in the status, though its row says it has ended', async () => {
  const folder = await task('newer');
  await stack.startResearch('newer', { task: folder, budget: { trials: 1 } });
  await stack.client.workflow.getHandle('newer').result();
  expect(await statusOf('newer')).toMatchObject({ phase: 'stopped', failing: [], temporalError: null });
  await stack.query(`update researches set proposer = 'clairvoyant' where id = 'newer'`);
  const again = await perpetua('start', folder, '--id', 'newer', '--budget-trials', '2');
  expect(again.stdout).toContain(
    'the research newer on the task newer waits for a worker that knows search.proposer: clairvoyant\n',
  );
  expect(again.stdout).not.toContain('is open again');

  const message = expect.stringContaining('search.proposer: this version does not know clairvoyant') as unknown;
  expect(await failureIn('newer')).toMatchObject({ trial: null, activity: 'openResearch', message });
  expect(await statusOf('newer')).toMatchObject({ phase: 'stopped' });
  const line = new RegExp(
    '^failing: openResearch of the research fails, attempt \\d+, .*: ' +
      'search\\.proposer: this version does not know clairvoyant',
    'm',
  );
  await vi.waitFor(async () => expect((await perpetua('status', 'newer')).stdout).toMatch(line), {
    timeout: 60_000,
    interval: 500,
  });
  await stack.query(`update researches set proposer = 'random' where id = 'newer'`);
  await stack.client.workflow.getHandle('newer').result();
});

test('a workflow whose own code keeps failing is in the status, and so is a Temporal that is away', async () => {
  // The bundle has no workflow of this type, as after a deployment that lost it.
  const handle = await stack.client.workflow.start('renamed', { taskQueue: 'perpetua', workflowId: 'admits' });
  expect(await stack.query(`update researches set phase = 'running' where id = 'admits' returning id`)).toHaveLength(1);
  expect(await failureIn('admits')).toMatchObject({
    trial: null,
    activity: null,
    message: expect.stringContaining('renamed'),
  });
  // The command gives Temporal two seconds to answer, which a busy machine may exceed.
  await vi.waitFor(
    async () =>
      expect((await perpetua('status', 'admits')).stdout).toContain('failing: the workflow code of the research fails'),
    { timeout: 60_000, interval: 500 },
  );
  await handle.terminate();

  await stack.temporal.kill();
  // A busy machine may exceed the two seconds before the command finds that out.
  await vi.waitFor(
    async () =>
      expect(await statusOf('admits')).toMatchObject({
        failing: null,
        temporalError: expect.stringContaining('Cannot reach Temporal'),
      }),
    { timeout: 60_000, interval: 500 },
  );
});
