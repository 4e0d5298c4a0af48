import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { runName } from '../../infra/compute/run-protocol/paths.ts';
import { FAULTS } from '../support/e2e/fault-table.ts';
import { expectNoProcesses, processesOf } from '../support/database/ledger.ts';
import { expectJobsClosed, type LiveRun, liveRun, runDirectories } from '../support/e2e/live-run.ts';
import { signalAll } from '../support/process/signal.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';
import { isBegun, startOldWorker } from '../support/e2e/old-worker.ts';
import { writeTask, type TaskFiles } from '../support/tasks.ts';

const SOON = { timeout: 60_000, interval: 100 };
const READY = ['--ready', 'serves at'];

let stack: TestStack;
let worker: TestWorker;
let task: string;

/** A task whose runs would end after two seconds, were they no servers. */
const taskNamed = (name: string, more: TaskFiles['task'] = {}): Promise<string> =>
  writeTask(join(stack.home, 'tasks', name), {
    task: {
      name,
      run: {
        command: 'sh run.sh',
        budget: { seconds: 1, kind: 'cpu' },
        artefacts: [{ path: 'out.txt' }],
        timeoutSeconds: 2,
        graceSeconds: 1,
        sandbox: 'none',
      },
      ...more,
    },
    files: { 'workspace/data.txt': 'here it is\n' },
  });

beforeAll(async () => {
  stack = await startTestStack();
  task = await taskNamed('served');
  worker = await stack.startWorker({ slots: 1 });
});
// One that failed does not keep the only slot from the others.
afterEach(async () => {
  const open = await stack.query<{ id: string }>('select id from jobs where ended_at is null');
  for (const { id } of open) await stack.client.workflow.getHandle(id).cancel();
});
afterAll(() => stack.stop());

const start = (...argv: string[]): LiveRun => liveRun(stack, argv);

/** A server that notes its starts outside the run, says that it serves, and is a sleep of that many seconds then. */
function server(name: string, seconds: number): { words: string[]; starts: () => string; pid: () => Promise<number> } {
  const starts = join(stack.home, `starts-${name}`);
  const script = `echo x >> ${starts}; cat data.txt; echo "serves at 0"; exec sleep ${seconds}`;
  const pids = (): string[] => processesOf(stack.home).filter((line) => line.endsWith(`: sleep ${seconds} `));
  return {
    words: [...READY, '--', script],
    starts: () => (existsSync(starts) ? readFileSync(starts, 'utf8') : ''),
    // It says that it serves a moment before it is that.
    pid: async () => {
      await vi.waitFor(() => expect(pids()).toHaveLength(1), SOON);
      return parseInt(pids()[0] ?? '');
    },
  };
}

/** Kills the server itself, and none of what watches it. */
const kill = (pid: number): boolean => process.kill(pid, 'SIGKILL');

const directoriesOf = (id: string): string[] => {
  const prefix = runName({ trialId: id, placement: 0 }).replace(/0$/, '');
  return runDirectories(stack, (name) => name.startsWith(prefix));
};

/** Ctrl-C ends it, and nothing of it stays. */
async function end(asked: LiveRun): Promise<void> {
  asked.interrupt();
  expect(await asked.ended).toMatchObject({ code: 0 });
  await expectNothingLeft(asked.id());
}

async function expectNothingLeft(id: string): Promise<void> {
  await expectJobsClosed(stack);
  expect(directoriesOf(id)).toEqual([]);
  await expectNoProcesses(stack.home);
  const [job] = await stack.query(`select kind, ending ->> 'why' as why from jobs where id = $1`, [id]);
  expect(job).toEqual({ kind: 'server', why: 'cancelled' });
}

const untilReady = (id: string, times = 1): Promise<void> =>
  stack.until(
    `it to be ready in ${times} runs`,
    'select count(*) = $2 as done, count(*) from runs where trial_id = $1 and ready_at is not null',
    [id, times],
  );

const detailsOf = async (id: string): Promise<string> => {
  const handle = stack.client.workflow.getHandle(id);
  return (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
};

test('a server goes on past the limits of its task, that it is ready is told and shown, and Ctrl-C leaves nothing of it', async () => {
  const { words, pid } = server('told', 4851);
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.told()).toMatch(/ready on /), SOON);
  expect(asked.out()).toBe('here it is\nserves at 0\n');
  const id = asked.id();
  await vi.waitFor(async () => expect(await detailsOf(id)).toMatch(/a server of served\n- ready on \S+ since /), SOON);
  await stack.until(
    'it to be older than a run may be',
    `select now() - launched_at > interval '4 seconds' as done from runs where trial_id = $1`,
    [id],
  );
  await pid();
  await end(asked);
  expect(asked.told()).toContain('It was stopped.');
  expect(asked.told()).not.toContain('begun again');
});

test('--json tells each thing as it happens, one object a line', async () => {
  const { words, pid } = server('json', 4852);
  const asked = start(task, '--json', ...words);
  const events = (): Record<string, unknown>[] =>
    asked
      .out()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const named = (name: string) => events().filter(({ event }) => event === name);
  await vi.waitFor(() => expect(named('ready')).toHaveLength(1), SOON);
  kill(await pid());
  await vi.waitFor(() => expect(named('ready')).toHaveLength(2), SOON);
  asked.interrupt();
  expect(await asked.ended).toMatchObject({ code: 0 });
  expect(named('output')[0]).toMatchObject({ text: expect.stringContaining('here it is') as string });
  expect(named('run-ended')[0]).toMatchObject({ placement: 0, how: 'was ended by SIGKILL' });
  expect(named('ready')[1]).toMatchObject({ placement: 1, at: expect.stringMatching(/^\d{4}-/) as string });
  expect(events().at(-1)).toMatchObject({ event: 'closed', why: 'cancelled' });
});

test('a server that is killed is begun again after its pause, in the place of its run of before', async () => {
  const { words, pid, starts } = server('killed', 4853);
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.told()).toMatch(/ready on /), SOON);
  const id = asked.id();
  const first = await pid();
  kill(first);
  await untilReady(id, 2);
  await vi.waitFor(() => expect(asked.told()).toMatch(/it was ended by SIGKILL\nbegun again on .*\nready on /), SOON);
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

test('a server that its machine loses is begun again, and what was left of it is gone by then', async () => {
  const { words, pid, starts } = server('lost', 4857);
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.told()).toMatch(/ready on /), SOON);
  const first = await pid();
  // With one of them the others end.
  signalAll(
    processesOf(stack.home)
      .filter((line) => line.includes('supervisor'))
      .map((line) => parseInt(line)),
  );
  await untilReady(asked.id(), 2);
  await vi.waitFor(
    () => expect(asked.told()).toMatch(/it was lost by its machine\nbegun again on .*\nready on /),
    SOON,
  );
  expect(starts()).toBe('x\nx\n');
  expect(await pid()).not.toBe(first);
  await end(asked);
});

test.each(FAULTS['worker-dies/local/server'])(
  'a worker that dies at %s costs nothing: the same process goes on serving, or is begun again once',
  async (point) => {
    const { words, pid, starts } = server(point, 4854);
    const isAtEnd = point === 'run-ended' || point === 'restart-due';
    if (point === 'run-launched' || point === 'mid-run') worker.dieAt(point);
    const asked = start(task, ...words);
    await vi.waitFor(() => expect(starts()).toBe('x\n'), SOON);
    if (isAtEnd || point === 'job-ended') {
      await untilReady(asked.id());
      worker.dieAt(point);
    }
    if (isAtEnd) kill(await pid());
    if (point === 'job-ended') asked.interrupt();
    await worker.gone;
    expect(worker.process.signalCode).toBe('SIGKILL');
    const before = point === 'run-launched' || point === 'mid-run' ? await pid() : null;
    worker = await stack.startWorker({ slots: 1 });
    await untilReady(asked.id(), isAtEnd ? 2 : 1);
    if (before !== null) expect(await pid()).toBe(before);
    await end(asked);
    expect(starts()).toBe(isAtEnd ? 'x\nx\n' : 'x\n');
  },
);

test('a server that was left to itself is gone on with by its id, though its workflow is gone', async () => {
  const { words, pid, starts } = server('left', 4855);
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.told()).toMatch(/ready on /), SOON);
  const [id, before] = [asked.id(), await pid()];
  await stack.client.workflow.getHandle(id).terminate('by hand');
  expect(await asked.ended).toMatchObject({ code: 1 });
  expect(asked.told()).toContain(`Its workflow was terminated. Go on with it: npx perpetua run --attach ${id}`);
  const again = start('--attach', id);
  await stack.until('it to be followed anew', 'select max(follower) > 2 as done from runs where trial_id = $1', [id]);
  await vi.waitFor(() => expect(again.told()).toMatch(/ready on /), SOON);
  expect(again.out()).toBe('here it is\nserves at 0\n');
  expect(await pid()).toBe(before);
  await end(again);
  expect(starts()).toBe('x\n');
});

test('a server under an id of its own is known for one before any worker has opened it', async () => {
  await worker.kill();
  const { words, pid } = server('mine', 4858);
  const [, ready = '', , command = ''] = words;
  const args = [{ task, command, serve: { ready }, tempo: 0.25 }];
  await stack.client.workflow.start('job', { workflowId: 'mine', taskQueue: 'perpetua', args });
  const asked = start('--attach', 'mine');
  await vi.waitFor(() => expect(asked.told()).toContain('the server mine;'), SOON);
  worker = await stack.startWorker({ slots: 1 });
  await vi.waitFor(() => expect(asked.told()).toMatch(/ready on /), SOON);
  await pid();
  await end(asked);
});

test('a server whose workflow is of an older version goes on by a worker of this one, the same process', async () => {
  const { words, pid, starts } = server('old', 4856);
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.told()).toMatch(/ready on /), SOON);
  const [id, before] = [asked.id(), await pid()];
  const handle = stack.client.workflow.getHandle(id);
  await worker.kill();
  await handle.terminate('as an older version goes');
  expect(await asked.ended).toMatchObject({ code: 1 });
  const old = await startOldWorker(stack);
  const input = { task, command: 'none of its row', tempo: 0.25 };
  const { firstExecutionRunId } = await stack.client.workflow.start('job', {
    ...{ workflowId: id, taskQueue: 'perpetua', args: [input] },
  });
  await vi.waitFor(async () => expect(await isBegun(stack, id)).toBe(true), SOON);
  await old.kill();
  worker = await stack.startWorker({ slots: 1 });
  const { status } = await stack.client.workflow.getHandle(id, firstExecutionRunId).describe();
  expect(status.name).toBe('TERMINATED');
  const again = start('--attach', id);
  await vi.waitFor(() => expect(again.told()).toMatch(/ready on /), SOON);
  await vi.waitFor(async () => expect(await detailsOf(id)).toMatch(/ready on /), SOON);
  expect(await pid()).toBe(before);
  await end(again);
  expect(starts()).toBe('x\n');
});

test('a server that ends again and again leaves a few directories, and its workflow a short history', async () => {
  const id = 'server/served/flapping';
  const restart = { firstSeconds: 0.1, mostSeconds: 0.1 };
  const handle = await stack.client.workflow.start('job', {
    ...{ workflowId: id, taskQueue: 'perpetua' },
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

test('a task that is refused ends its server with the reason', async () => {
  const broken = await taskNamed('broken-setup', { setup: { commands: ['echo no such package; exit 3'] } });
  const asked = start(broken, ...READY, '--', 'true');
  expect(await asked.ended).toMatchObject({ code: 1 });
  expect(asked.told()).toContain('Its machine could not be prepared for its task');
  const [job] = await stack.query(`select ending ->> 'why' as why from jobs where id = $1`, [asked.id()]);
  expect(job).toEqual({ why: 'setup-failed' });
  await expectJobsClosed(stack);
  expect(await start(task, '--ready', 'two\nlines', '--', 'true').ended).toMatchObject({ code: 2 });
});
