import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { StackEvent } from '../../../cli/up/events.ts';
import { startStack, type Stack } from '../../../cli/up/stack.ts';
import { findWorkers } from '../../../cli/up/stack/worker-processes.ts';
import { loadConfig, type Config } from '../../../config/load.ts';
import { packageRoot } from '../../../config/paths.ts';
import { resolveAddresses } from '../../../config/resolve.ts';
import { readUpFile, retireUpFile, type UpState, writeUpFile } from '../../../config/up-file.ts';
import { readerAddress } from '../../../db/reader/reader-address.ts';
import { freePort } from '../../../infra/process/free-port.ts';
import { identify, isAlive } from '../../../infra/process/identity.ts';
import { endsWithin, signalProcess } from '../../../infra/process/stop.ts';
import { testCli, throwawayHome } from '../../support/servers.ts';

// A worker that writes its variables into a file, and ends on SIGTERM.
const WORKER = `
import { appendFileSync } from 'node:fs';
const file = process.env.PERPETUA_HOME + '/worker.txt';
const settings = ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'PERPETUA_HOME'].map((name) => process.env[name]).join(' ');
appendFileSync(file, 'started ' + settings + '\\n');
process.on('SIGTERM', () => { appendFileSync(file, 'drained\\n'); process.exit(0); });
setInterval(() => {}, 1000);
`;

let home: string;
let config: Config;
let workerProgram: string;
const built = join(packageRoot(), 'dist');
const stacks: Stack[] = [];
const events: StackEvent[] = [];

beforeAll(async () => {
  const cli = await testCli();
  home = await throwawayHome();
  config = loadConfig({ PATH: process.env.PATH, PERPETUA_HOME: home, TEMPORAL_CLI_PATH: cli.path });
  workerProgram = join(home, 'worker.mjs');
  await writeFile(workerProgram, WORKER);
  await keepOwnPorts();
}, 900_000);
afterAll(async () => {
  for (const stack of stacks) await stack.stop();
  await rm(home, { recursive: true, force: true });
});

/** Writes the state of an earlier stack with free ports: other tests could take a usual port during a restart. */
async function keepOwnPorts(): Promise<void> {
  const grpc = await freePort(null);
  const ui = await freePort(null, [grpc]);
  const postgres = await freePort(null, [grpc, ui]);
  const dashboard = await freePort(null, [grpc, ui, postgres]);
  const gone = { pid: 2 ** 22 + 1, startedAt: 'before', serverVersion: '1' };
  writeUpFile(home, {
    version: 1,
    owner: gone,
    writtenAt: '2026-01-01T00:00:00.000Z',
    workers: [],
    temporal: {
      address: `127.0.0.1:${grpc}`,
      namespace: 'default',
      uiUrl: `http://127.0.0.1:${ui}`,
      embedded: { ...gone, cli: '1' },
    },
    postgres: { url: `postgres://u@127.0.0.1:${postgres}/perpetua`, embedded: { ...gone, dataDir: home } },
    dashboard: { ...gone, port: dashboard },
  });
  await retireUpFile(home);
}
async function start(): Promise<Stack> {
  events.length = 0;
  const stack = await startStack(config, {
    onEvent: (event) => events.push(event),
    onDashboard: () => undefined,
    workerProgram,
  });
  stacks.push(stack);
  await expect.poll(async () => (await up()).dashboard).toMatchObject({ port: await stack.dashboardPort() });
  return stack;
}
async function up(): Promise<UpState> {
  const state = await readUpFile(home);
  if (!state) throw new Error('no up.json');
  return state;
}
const processesOf = (state: UpState) =>
  [state.temporal.embedded, state.postgres.embedded, ...state.workers, state.dashboard ?? null].filter(
    (one) => one !== null,
  );
const said = (pattern: RegExp) => events.some((event) => pattern.test(event.text));
async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
/** Starts a stack in a process of its own, which tests kill. */
async function startParent(): Promise<ChildProcess> {
  const script = join(home, 'parent.mjs');
  await writeFile(
    script,
    `import { loadConfig } from '${built}/config/load.js';
     import { startStack } from '${built}/cli/up/stack.js';
     const workerProgram = ${JSON.stringify(workerProgram)};
     await startStack(loadConfig(), { onEvent: () => {}, onDashboard: () => {}, workerProgram });
     console.log('up');`,
  );
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, PERPETUA_HOME: home, TEMPORAL_CLI_PATH: config.temporalCliPath ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the parent ended with ${code}`)));
  });
  return child;
}

describe('the embedded stack', () => {
  test('it starts Postgres with our tables, Temporal, and a worker that gets the addresses of both', async () => {
    const stack = await start();
    const { databaseUrl, temporal } = stack.addresses();
    expect(stack.searchAttributes).toEqual({ registered: true, reason: null });
    expect(await rows(databaseUrl, 'select count(*)::int as n from installations')).toEqual([{ n: 1 }]);
    await expect
      .poll(() => readFile(join(home, 'worker.txt'), 'utf8').catch(() => null))
      .toBe(`started ${databaseUrl} ${temporal.address} ${home}\n`);
  });

  test('every other command finds it through up.json', async () => {
    const { databaseUrl, temporal } = await resolveAddresses(config);
    const connection = await Connection.connect({ address: temporal.address });
    expect(
      await new Client({ connection, namespace: temporal.namespace }).workflow.count('PerpetuaTask = "x"'),
    ).toEqual(expect.objectContaining({ count: 0 }));
    await connection.close();
    expect(await rows(databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('its database has a role for the dashboard that writes nothing, even in a read-write session', async () => {
    const { databaseUrl } = await resolveAddresses(config);
    const { role, url } = await readerAddress(databaseUrl);
    expect(role).toBe('reader');
    expect(await rows(url, 'select id from trials')).toEqual([]);
    for (const make of ['create temporary table mine (n int)', `select lo_create(0)`])
      await expect(rows(url, `set transaction_read_only = off; ${make}`)).rejects.toThrow(/permission denied/);
  });

  test('a second stack in the same home is refused, with the process that holds the home', async () => {
    await expect(startStack(config, { onEvent: () => {}, workerProgram })).rejects.toThrow(
      new RegExp(`process ${process.pid} runs one since`),
    );
  });

  test('a killed worker, Temporal, Postgres and dashboard come back, the servers at the same addresses', async () => {
    const before = await up();
    for (const victim of processesOf(before)) signalProcess(victim, 'SIGKILL');
    await vi.waitFor(
      async () => {
        const now = await up();
        for (const one of processesOf(now)) expect(isAlive(one)).toBe(true);
        expect(processesOf(now).map((one) => one.pid)).not.toEqual(
          expect.arrayContaining([processesOf(before)[0]?.pid]),
        );
      },
      { timeout: 240_000, interval: 200 },
    );
    const after = await up();
    expect(after.temporal.address).toBe(before.temporal.address);
    expect(after.postgres.url).toBe(before.postgres.url);
    expect(after.dashboard?.port).toBe(before.dashboard?.port);
    expect(await rows(after.postgres.url, 'select count(*)::int as n from installations')).toEqual([{ n: 1 }]);
    // The events come a moment after the state is written.
    for (const name of ['worker 1', 'Postgres', 'the Temporal server', 'the dashboard'])
      await expect.poll(() => said(new RegExp(`${name}.* is back`))).toBe(true);
    // Once it has started, the worker reacts to signals.
    await expect
      .poll(async () => (await readFile(join(home, 'worker.txt'), 'utf8')).match(/^started/gm))
      .toHaveLength(2);
  });

  test('a missing database is waited for, and never replaced by an empty one', async () => {
    const { postgres } = await up();
    const data = join(home, 'postgres', 'data');
    await rename(data, `${data}-away`);
    if (postgres.embedded) signalProcess(postgres.embedded, 'SIGKILL');
    await expect.poll(() => said(/Expected the database in .*data, it is gone/)).toBe(true);
    expect(existsSync(data)).toBe(false);
    events.length = 0;
    await rename(`${data}-away`, data);
    await expect.poll(() => said(/Postgres.* is back/), { timeout: 120_000 }).toBe(true);
    expect(await rows((await up()).postgres.url, 'select count(*)::int as n from installations')).toEqual([{ n: 1 }]);
  });

  test('stop lets the worker drain, ends Temporal, then Postgres, and leaves no up.json', async () => {
    const state = await up();
    const processes = processesOf(state);
    // Probes the last to end first. A process that ends between two probes then never seems to outlive another.
    const lastFirst = Object.entries({
      postgres: state.postgres.embedded,
      temporal: state.temporal.embedded,
      worker: state.workers[0],
    });
    const seen = new Set<string>();
    const probe = () => {
      const alive = lastFirst.filter(([, one]) => one && isAlive(one));
      seen.add(alive.map(([name]) => name).join(' '));
    };
    probe();
    const probing = setInterval(probe, 5);
    await stacks.pop()?.stop();
    clearInterval(probing);
    probe();
    const allowed = ['postgres temporal worker', 'postgres temporal', 'postgres', ''];
    // The probes may miss some of these states, but may find no other.
    expect(allowed.filter((alive) => seen.has(alive))).toEqual([...seen]);
    expect([...seen].at(0)).toBe(allowed[0]);
    expect(processes.filter((one) => isAlive(one))).toEqual([]);
    expect(await readUpFile(home)).toBeNull();
    expect((await readFile(join(home, 'worker.txt'), 'utf8')).trimEnd().split('\n').at(-1)).toBe('drained');
  });

  test('after kill -9 of the parent, the next one adopts the servers and replaces the worker', async () => {
    const parent = await startParent();
    const before = await up();
    const [oldWorker] = before.workers;
    parent.removeAllListeners('exit');
    parent.kill('SIGKILL');
    await expect.poll(() => identify(parent.pid ?? 0)).toBeUndefined();
    for (const one of processesOf(before)) expect(isAlive(one)).toBe(true);

    const stack = await start();
    const after = await up();
    expect(after.temporal.embedded).toEqual(before.temporal.embedded);
    expect(after.postgres.embedded).toEqual(before.postgres.embedded);
    expect(oldWorker && isAlive(oldWorker)).toBe(false);
    await expect
      .poll(() => findWorkers(home).map((worker) => worker.pid))
      .toEqual(after.workers.map((worker) => worker.pid));
    expect(said(/Postgres .* taken over/) && said(/Temporal .* taken over/)).toBe(true);
    await stack.stop();
    stacks.pop();
  });

  test('after kill -9 of everything, the next start uses the same data', async () => {
    const parent = await startParent();
    const before = await up();
    const [installation] = await rows(before.postgres.url, 'select id from installations');
    parent.removeAllListeners('exit');
    parent.kill('SIGKILL');
    for (const one of processesOf(before)) signalProcess(one, 'SIGKILL');
    await expect.poll(() => identify(parent.pid ?? 0)).toBeUndefined();
    for (const one of processesOf(before)) expect(await endsWithin(one, 30_000)).toBe(true);
    const stack = await start();
    expect(await rows(stack.addresses().databaseUrl, 'select id from installations')).toEqual([installation]);
    await stack.stop();
    stacks.pop();
  });

  test('servers that the environment names are not started, and not stopped', async () => {
    const host = await start();
    const { databaseUrl, temporal } = host.addresses();
    const otherHome = await throwawayHome();
    const env = {
      PATH: process.env.PATH,
      PERPETUA_HOME: otherHome,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: temporal.address,
    };
    const guest = await startStack(loadConfig(env), { onEvent: () => {}, workerProgram });
    expect(existsSync(join(otherHome, 'postgres')) || existsSync(join(otherHome, 'temporal'))).toBe(false);
    expect(await readUpFile(otherHome)).toMatchObject({ temporal: { embedded: null }, postgres: { embedded: null } });
    await guest.stop();
    await rm(otherHome, { recursive: true });
    expect(await rows(databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(processesOf(await up()).every((one) => isAlive(one))).toBe(true);
  });

  test('a start that fails stops what it had started', async () => {
    await stacks.pop()?.stop();
    const broken = { ...config, temporalCliPath: '/nonexistent/temporal' };
    await expect(startStack(broken, { onEvent: () => {}, workerProgram })).rejects.toThrow(
      /TEMPORAL_CLI_PATH: expected a file/,
    );
    expect(existsSync(join(home, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
    expect(existsSync(join(home, 'up.lock'))).toBe(false);
  });
});
