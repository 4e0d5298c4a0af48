import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot, workerProgramIn } from '../../config/paths.ts';
import { freePort } from '../../infra/process/free-port.ts';
import { run } from '../cli/support/cli.ts';
import { startTestServers, type TestServers } from '../support/servers.ts';

let servers: TestServers;
beforeAll(async () => {
  servers = await startTestServers();
});
afterAll(() => servers.stop());

/** An address where nothing listens. */
const NOWHERE = '127.0.0.1:1';

/** Takes a port until `close`. */
async function holdPort(): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer().listen(await freePort(null), '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => void server.close(() => resolve())) };
}

const start = (env: Record<string, string>, ...args: string[]) =>
  spawn(process.execPath, [workerProgramIn(packageRoot()), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      PERPETUA_HOME: servers.home,
      TEMPORAL_ADDRESS: servers.temporalAddress,
      DATABASE_URL: servers.databaseUrl,
      ...env,
    },
  });

async function work(env: Record<string, string>, ...args: string[]) {
  const child = start(env, ...args);
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>]);
  return { code, stderr };
}

test.each([
  [
    'Temporal',
    { TEMPORAL_ADDRESS: NOWHERE },
    /^Cannot reach Temporal at 127\.0\.0\.1:1 \(.+\)\. Start the stack .*\n$/,
  ],
  ['Postgres', { DATABASE_URL: `postgres://u@${NOWHERE}/d` }, /^Cannot reach Postgres: .*ECONNREFUSED.*\n$/],
])('a worker that cannot reach %s says so in one line and ends with 3', async (_, env, message) => {
  const { code, stderr } = await work(env);
  expect(stderr).toMatch(message);
  expect(code).toBe(3);
});

test('a worker for an unknown queue ends with 2 and names the known ones', async () => {
  const { code, stderr } = await work({}, '--queues=perpetua,monitor');
  expect(stderr).toMatch(/^--queues: expected some of perpetua, .*perpetua-monitor.*, got "monitor"$/m);
  expect(code).toBe(2);
});

test('perpetua worker starts no worker if it was interrupted before', async () => {
  const env = {
    PERPETUA_HOME: servers.home,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    DATABASE_URL: servers.databaseUrl,
  };
  // A worker would refuse this queue.
  const ran = await run(['worker', '--queues=none'], { env, signal: AbortSignal.abort() });
  expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('a worker that starts warns of nothing', async () => {
  const child = start({ PERPETUA_LOG_LEVEL: 'warn' });
  const said = text(child.stderr);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await said).toBe('');
});

test('a worker serves metrics at the address that is set, and says why it cannot if that is taken', async () => {
  const { port, close } = await holdPort();
  const env = { PERPETUA_METRICS: `127.0.0.1:${port}` };
  const { code, stderr } = await work(env);
  expect(stderr).toMatch(
    /^PERPETUA_METRICS: cannot serve metrics at 127\.0\.0\.1:\d+ \(.*in use.*\)\. .*port of its own\.$/im,
  );
  expect(code).toBe(2);
  await close();
  const child = start(env);
  await once(child.stdout, 'data');
  const said = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await expect.poll(said).toMatch(/^temporal_worker_start\{.*task_queue="perpetua-monitor"/m);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a worker of nothing but a pool of the fleet works until it is stopped', async () => {
  const child = start({ PERPETUA_LOG_LEVEL: 'warn' }, '--queues=fleet-gpu');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(String(line)).toContain('polls fleet-gpu');
  await sleep(3000);
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

/** A relay to Postgres that reports its first connection. */
async function startRelay(onConnection: () => void) {
  const { hostname, port } = new URL(servers.databaseUrl);
  const server = createServer((socket) => {
    const postgres = connect({ host: hostname, port: Number(port) });
    for (const end of [socket, postgres]) end.on('error', () => undefined);
    socket.pipe(postgres).pipe(socket);
  });
  server.once('connection', onConnection);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(servers.databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: url.toString(), close: () => server.close() };
}

test.each([['--queues=fleet-gpu'], ['--queues=perpetua,fleet-gpu']])(
  'a worker that is stopped while it starts ends as soon as it runs: %s',
  async (queues) => {
    // By then the worker has started the SDK's runtime, which receives the signal.
    const { url, close } = await startRelay(() => child.kill('SIGTERM'));
    const child = start({ DATABASE_URL: url }, queues);
    const said = text(child.stdout);
    try {
      await expect.poll(() => child.exitCode).toBe(0);
      expect(await said).toMatch(/ stopped; runs under way continue\n$/);
    } finally {
      child.kill('SIGKILL');
      close();
    }
  },
);
