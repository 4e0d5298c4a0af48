import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSecret } from '../../../config/dashboard/secret.ts';
import { findDashboards } from '../../../cli/dashboard/process.ts';
import { freePort } from '../../../infra/process/free-port.ts';
import { sendRequest } from '../../dashboard/server/support.ts';
import { useDatabase } from '../../db/support.ts';
import { throwawayHome } from '../../support/servers.ts';
import { run } from '../support/cli.ts';

const bench = useDatabase();
let home: string;
let ending: AbortController;
let served: Promise<unknown>;
beforeEach(async () => {
  home = await throwawayHome();
  ending = new AbortController();
  served = Promise.resolve();
});
afterEach(async () => {
  ending.abort();
  await served;
  expect(findDashboards(home)).toEqual([]);
  await rm(home, { recursive: true, force: true });
});

/** A server of Temporal that nobody runs. */
const TEMPORAL = { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_API_KEY: 'a-key-of-temporal' };
const env = () => ({ ...TEMPORAL, PATH: process.env.PATH, PERPETUA_HOME: home, DATABASE_URL: bench.url });
const dashboard = (...argv: string[]) => run(['dashboard', '--json', ...argv], { env: env() });

interface Served {
  url: string;
  host: string;
  port: number;
  pid: number;
}

/** Serves the dashboard in the foreground until the test ends; returns what it printed. */
async function serve(...argv: string[]) {
  const port = await freePort(null);
  let printed = '';
  const done = run(['dashboard', '--json', '--port', String(port), ...argv], {
    env: env(),
    signal: ending.signal,
    stdout: { write: (text) => (printed += text) },
  });
  served = done;
  await expect.poll(() => printed).toContain('\n');
  return { ...(JSON.parse(printed) as Served), wanted: port, done };
}

describe('perpetua dashboard', () => {
  test('serves in the foreground until Ctrl-C, and its link gives access', async () => {
    const { url, port, wanted, done } = await serve();
    expect(port).toBe(wanted);
    const { pathname } = new URL(url);
    const entered = await sendRequest(port, pathname);
    const [cookie = ''] = (entered.headers['set-cookie']?.[0] ?? '').split(';');
    const below = pathname.split('/enter/')[0] ?? '';
    expect((await sendRequest(port, `${below}/api/v1/setup`, { headers: { cookie } })).status).toBe(200);
    expect((await sendRequest(port, `${below}/api/v1/researches`, { headers: { cookie } })).text).toContain(
      '"researches":[]',
    );
    expect((await sendRequest(port, `${below}/`, { headers: { cookie } })).text).toContain('<title>Perpetua</title>');
    ending.abort();
    expect(await done).toMatchObject({ code: 0, stderr: '' });
  });

  test('has no secret in its command line or environment', async () => {
    const { url, port, pid } = await serve();
    const { token = '?', path = '?' } = readSecret(home) ?? {};
    const password = new URL(bench.url).password;
    await sendRequest(port, new URL(url).pathname);
    for (const file of ['cmdline', 'environ']) {
      const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
      expect(text).toContain(home);
      for (const secret of [token, path, password]) expect(text).not.toContain(secret);
    }
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(2, -1)).toEqual([`--dashboard=${home}`]);
  });

  test('prints the link of the dashboard that runs, and refuses another port for it', async () => {
    const { url, pid } = await serve();
    expect((await dashboard()).json()).toMatchObject([{ url, pid }]);
    const plain = await run(['dashboard'], { env: env() });
    expect(plain.stdout.split('\n')).toEqual([url, expect.stringMatching(/^This link is a secret/), '']);
    expect(await dashboard('--port', '4999')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/runs already, on 127\.0\.0\.1/) as string,
    });
  });

  test('with --steer may steer, and only then knows the Temporal of the environment', async () => {
    const { url, port, pid } = await serve('--steer');
    const [below = ''] = new URL(url).pathname.split('/enter/');
    const { token = '' } = readSecret(home) ?? {};
    const { text } = await sendRequest(port, `${below}/api/v1/steering`, { headers: { cookie: `perpetua=${token}` } });
    expect(JSON.parse(text)).toEqual({ on: true, token: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain(TEMPORAL.TEMPORAL_API_KEY);
    expect((await dashboard('--steer')).json()).toMatchObject([{ url, pid }]);
  });

  test('without --steer knows no Temporal, and is not the page that --steer asks for', async () => {
    const { pid } = await serve();
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/TEMPORAL_|a-key-of-temporal/);
    expect(await dashboard('--steer')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/its page may not steer\. .*npx perpetua up --steer/) as string,
    });
  });

  test.each([
    [['dashboard', '--steer', '--host', '0.0.0.0'], /--host 127\.0\.0\.1, ::1 or localhost; got 0\.0\.0\.0/],
    [['up', '--steer', '--no-dashboard'], /Expected --steer with a dashboard; leave out --no-dashboard\./],
  ])('%j is refused', async (argv, why) => {
    expect(await run(argv, { env: env() })).toMatchObject({ code: 2, stderr: expect.stringMatching(why) as string });
  });

  test('uses another port if the requested one is taken, and says so', async () => {
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const taken = (other.address() as { port: number }).port;
    const { port, done } = await serve('--port', String(taken));
    expect(port).not.toBe(taken);
    ending.abort();
    expect((await done).stderr).toContain(`port ${taken} is taken by another program: the dashboard is on ${port}`);
    other.close();
  });

  test('answers requests for the allowed host names', async () => {
    const { port, url } = await serve('--allow-host', 'box.lan', 'box.example');
    for (const [host, status] of [
      ['box.lan', 200],
      ['box.example:443', 200],
      ['evil.test', 403],
    ] as const)
      expect((await sendRequest(port, new URL(url).pathname, { headers: { host } })).status).toBe(status);
  });

  test('that gets SIGTERM says so, and exits with 0', async () => {
    const { pid, done } = await serve();
    process.kill(pid, 'SIGTERM');
    expect(await done).toMatchObject({ code: 0, stderr: expect.stringMatching(/Another process ended/) as string });
  });

  test('that dies prints its last output', async () => {
    const { pid, done } = await serve();
    process.kill(pid, 'SIGKILL');
    expect(await done).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ended unexpectedly.*\n.*listens on 127/) as string,
    });
  });

  test.each(['0', '65536', '4e3', ''])('refuses the port %j', async (port) => {
    expect(await dashboard('--port', port)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--port to be a number from 1/) as string,
    });
  });

  test('fails if nothing says where Postgres is', async () => {
    const failed = await run(['dashboard'], { env: { PERPETUA_HOME: home } });
    expect(failed).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/Expected DATABASE_URL, or a stack/) as string,
    });
  });
});
