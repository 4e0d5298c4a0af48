import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { readUpFile, type UpState } from '../../../config/up-file.ts';
import { SHARED_ROOT } from '../../../infra/postgres/data-folder.ts';
import { identify, isAlive } from '../../../infra/process/identity.ts';
import { signalProcess } from '../../../infra/process/stop.ts';
import {
  expectNothingHeld,
  hold,
  release,
  runProcesses,
  slowTask,
  startsOf,
  supervisors,
  trialsOf,
} from '../../support/e2e/slow-task.ts';
import { expectStrictVerdicts } from '../../support/database/ledger.ts';
import { testCli, throwawayHome } from '../../support/servers.ts';
import { run } from '../support/cli.ts';

const LONG = { timeout: 240_000, interval: 200 };
/** Pause between two presses of Ctrl-C, longer than the time in which one press may arrive twice. */
const NEXT_PRESS_MS = 500;

interface Up {
  process: ChildProcess;
  said: () => string;
  gone: Promise<number | null>;
}

let home: string;
let env: Record<string, string>;
let up: Up | undefined;

beforeEach(async () => {
  home = await throwawayHome();
  const { path } = await testCli();
  env = { PATH: process.env.PATH ?? '', PERPETUA_HOME: home, TEMPORAL_CLI_PATH: path, PERPETUA_SLOTS: '2' };
}, 900_000);

afterEach(async () => {
  const data = (await readUpFile(home))?.postgres.embedded?.dataDir;
  if (up?.process.exitCode === null) {
    up.process.kill('SIGTERM');
    await sleep(NEXT_PRESS_MS);
    up.process.kill('SIGTERM');
    await up.gone;
  }
  if (data && dirname(dirname(data)) === SHARED_ROOT) await rm(dirname(data), { recursive: true, force: true });
  // The supervisor of a killed run writes a moment longer.
  await rm(home, { recursive: true, force: true, maxRetries: 20 });
});

/** Starts the real command in a process of its own. */
function startUp(...args: string[]): Up {
  const child = spawn(process.execPath, [join(packageRoot(), 'dist/cli/main.js'), 'up', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (more: Buffer) => (text += more.toString()));
  const gone = once(child, 'exit').then(([code]) => code as number | null);
  up = { process: child, said: () => text, gone };
  return up;
}

async function state(): Promise<UpState> {
  const found = await readUpFile(home);
  if (!found) throw new Error(`no stack in ${home}: ${up?.said()}`);
  return found;
}

async function query<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: (await state()).postgres.url });
  await client.connect();
  try {
    return (await client.query<T>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

async function row<T extends pg.QueryResultRow>(sql: string): Promise<T> {
  const [first] = await query<T>(sql);
  if (!first) throw new Error(`no row: ${sql}`);
  return first;
}
const research = (id: string) =>
  row<{ phase: string; last_n: number; trials: number }>(
    `select phase, last_n, (select count(*)::int from trials where research_id = '${id}') as trials
     from researches where id = '${id}'`,
  );
const perpetua = (...argv: string[]) => run(argv, { env });
/**
 * Pids of the runs' processes. Leaves out a child that a shell has just forked: until its exec it has the shell's
 * arguments, and looks like a run.
 */
const programsOf = (id: string): number[] => {
  const pids = runProcesses(id);
  return pids.filter((pid) => {
    try {
      return !pids.includes(Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]));
    } catch {
      return false;
    }
  });
};
const untilRuns = (id: string) => vi.waitFor(() => expect(runProcesses(id)).not.toEqual([]), LONG);

test('a second Ctrl-C kills the workers and every detached run', async () => {
  const stack = startUp('--task', await slowTask({ home }, 'pressed', { held: true, task: { name: 'pressed' } }));
  await untilRuns('pressed');
  const [worker] = (await state()).workers;
  const servers = [(await state()).temporal.embedded, (await state()).postgres.embedded];
  if (!worker) throw new Error('no worker');
  // A worker suspended by SIGSTOP cannot drain, so the stack is still shutting down at the second press.
  signalProcess(worker, 'SIGSTOP');
  stack.process.kill('SIGINT');
  const goesOn = /runs? (go|goes) on by \w+\. Ctrl-C again kills the worker/;
  await vi.waitFor(() => expect(stack.said()).toMatch(goesOn), LONG);
  expect(runProcesses('pressed')).not.toEqual([]);
  await sleep(NEXT_PRESS_MS);
  stack.process.kill('SIGINT');
  expect(await stack.gone).toBe(130);
  expect(stack.said()).toMatch(/killed [1-9]\d* runs? on this machine/);
  await expect.poll(() => [runProcesses('pressed'), supervisors({ home })]).toEqual([[], []]);
  for (const gone of [worker, ...servers])
    await expect.poll(() => gone && identify(gone.pid)?.startedAt === gone.startedAt).toBe(false);
}, 1_200_000);

test("a research continues from Postgres under its id without Temporal's file; a paused one stays paused", async () => {
  const task = await slowTask({ home }, 'going', { held: true, task: { name: 'going' } });
  const resting = await slowTask({ home }, 'resting', { held: true, task: { name: 'resting' } });
  const first = startUp('--task', task);
  await untilRuns('going');
  expect((await perpetua('start', resting)).code).toBe(0);
  await vi.waitFor(async () => expect((await research('resting')).trials).toBeGreaterThan(0), LONG);
  await perpetua('pause', 'resting');
  await vi.waitFor(async () => expect((await research('resting')).phase).toBe('paused'), LONG);
  const [going, paused] = [await research('going'), await research('resting')];
  const runs = programsOf('going');
  await killDashboard();
  expect(programsOf('going')).toEqual(runs);
  expect([await research('going'), await research('resting')]).toEqual([going, paused]);
  expect(await perpetua('down')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^stopped the stack in .*\n\d+ runs? still under way/),
  });
  expect(await first.gone).toBe(0);
  // Runs continue without a stack.
  expect(programsOf('going')).toEqual(runs);

  const second = startUp('--fresh-temporal', '--task', task);
  await vi.waitFor(() => expect(second.said()).toContain('research resting goes on from Postgres'), LONG);
  expect(second.said()).toContain('moved the old database file to');
  release({ home }, 'going');
  release({ home }, 'resting');
  await vi.waitFor(async () => expect((await research('going')).last_n).toBeGreaterThan(going.last_n), LONG);
  await vi.waitFor(async () => expect(await open('resting')).toBe(0), LONG);
  expect(await research('resting')).toEqual(paused);
  await expectNoGapsInNumbers('going');
  await expectStrictVerdicts({ query }, 'going');

  const { temporal } = await state();
  const connection = await Connection.connect({ address: temporal.address });
  const handle = new Client({ connection }).workflow.getHandle('resting');
  // The workflow learns of an end a moment after Postgres.
  await vi.waitFor(async () => {
    expect(await handle.query('status')).toMatchObject({ phase: 'paused', running: [] });
  }, LONG);
  await connection.close();
  hold({ home }, 'resting');
  await perpetua('resume', 'resting');
  await untilRuns('resting');
  release({ home }, 'resting');
}, 1_200_000);

test.each([
  ['the parent alone', 'orphaned', false],
  ['everything at once', 'erased', true],
])(
  'after kill -9 of %s, the next start continues the same research and its running runs',
  async (_, id, all) => {
    const task = await slowTask({ home }, id, { held: true, task: { name: id } });
    const first = startUp('--task', task);
    // The two slots are taken and no run can end, so exactly two runs are under way, which must survive the kill.
    await vi.waitFor(async () => expect(await launchedOf(id)).toHaveLength(2), LONG);
    const launched = await launchedOf(id);
    const { last_n: known } = await research(id);
    const { workers, temporal, postgres, dashboard } = await state();
    first.process.kill('SIGKILL');
    const others = all ? [...workers, temporal.embedded, postgres.embedded, dashboard] : [];
    for (const victim of others) if (victim) signalProcess(victim, 'SIGKILL');
    await first.gone;

    const second = startUp('--task', task);
    await vi.waitFor(async () => expect((await state()).owner.pid).toBe(second.process.pid), LONG);
    release({ home }, id);
    await vi.waitFor(async () => expect((await research(id)).last_n).toBeGreaterThan(known), LONG);
    await vi.waitFor(async () => {
      const ends = (await launchedOf(id)).slice(0, 2).map(({ status }) => status);
      expect(ends).toEqual(['completed', 'completed']);
    }, LONG);
    const after = (await launchedOf(id)).slice(0, 2);
    expect(after).toEqual(launched.map((run) => ({ ...run, status: 'completed' })));
    const starts = startsOf({ home }, id);
    expect(launched.map(({ seed }) => starts[seed])).toEqual([1, 1]);
    // Trials that started meanwhile end, too; then no slot may be held.
    expect((await perpetua('stop', id)).code).toBe(0);
    await vi.waitFor(async () => expect((await research(id)).phase).toBe('stopped'), LONG);
    await expectNoGapsInNumbers(id);
    await expectStrictVerdicts({ query }, id);
    const trials = await trialsOf({ query }, id);
    const whole = { status: 'completed', runs: 1, steps: '1 2 3 4' };
    expect(trials).toEqual(trials.map(() => expect.objectContaining(whole) as unknown));
    await expectNothingHeld({ query, home }, id);
  },
  1_200_000,
);

/** Kills the dashboard and waits until it is back on its port. */
async function killDashboard(): Promise<void> {
  const { dashboard } = await state();
  if (!dashboard) throw new Error('no dashboard');
  signalProcess(dashboard, 'SIGKILL');
  await vi.waitFor(async () => {
    const now = (await state()).dashboard;
    expect(now?.pid).not.toBe(dashboard.pid);
    expect(now && isAlive(now)).toBe(true);
    expect(now?.port).toBe(dashboard.port);
  }, LONG);
}

/** Runs that were launched, in the order of their launches. */
async function launchedOf(
  id: string,
): Promise<{ trial_id: string; placement: number; seed: string; status: string | null }[]> {
  const { found } = await row<{
    found: { trial_id: string; placement: number; seed: string; status: string | null }[] | null;
  }>(
    `select json_agg(
         json_build_object('trial_id', trial_id, 'placement', runs.placement, 'seed', seed::text, 'status', status)
         order by launched_at, trial_id
       ) as found
     from runs join trials on trials.id = trial_id where research_id = '${id}' and launched_at is not null`,
  );
  return found ?? [];
}

const open = async (id: string): Promise<number> =>
  (await row<{ n: number }>(`select count(*)::int as n from trials where research_id = '${id}' and status is null`)).n;

/** Expects that the numbers of trials have no gap and no duplicate. One query, since the research adds trials. */
async function expectNoGapsInNumbers(id: string): Promise<void> {
  const { last_n, ns } = await row<{ last_n: number; ns: number[] }>(
    `select last_n, (select array_agg(n order by n) from trials where research_id = '${id}') as ns
     from researches where id = '${id}'`,
  );
  expect(ns).toEqual(Array.from({ length: last_n }, (_, n) => n + 1));
}
