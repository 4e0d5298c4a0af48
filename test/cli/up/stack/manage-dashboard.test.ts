import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findDashboards, startDashboard } from '../../../../cli/dashboard/process.ts';
import type { StackEvent } from '../../../../cli/up/events.ts';
import { type DashboardManager, manageDashboard } from '../../../../cli/up/stack/manage-dashboard.ts';
import { dashboardFiles } from '../../../../config/dashboard/files.ts';
import { ensureSecret } from '../../../../config/dashboard/secret.ts';
import { readSettings, writeSettings } from '../../../../config/dashboard/settings.ts';
import { type Config, loadConfig } from '../../../../config/load.ts';
import type { UpState } from '../../../../config/up-file.ts';
import { freePort } from '../../../../infra/process/free-port.ts';
import { isAlive } from '../../../../infra/process/identity.ts';
import { signalProcess } from '../../../../infra/process/stop.ts';
import { migrate } from '../../../../db/migrate.ts';
import { makeDatabase } from '../../../support/database/make-database.ts';
import { sendRequest } from '../../../dashboard/server/support.ts';
import { useDatabase } from '../../../db/support.ts';
import { throwawayHome } from '../../../support/servers.ts';

const bench = useDatabase();
const tenders: DashboardManager[] = [];
let home: string;
let config: Config;
let port: number;
let events: StackEvent[];

beforeEach(async () => {
  home = await throwawayHome();
  config = loadConfig({ PATH: process.env.PATH, PERPETUA_HOME: home });
  port = await freePort(null);
  events = [];
});
afterEach(async () => {
  for (const tender of tenders.splice(0)) await tender.stop();
  expect(findDashboards(home)).toEqual([]);
  await rm(home, { recursive: true, force: true });
});

/** State of an earlier stack that had its dashboard on the port. */
const before = () => ({ dashboard: { pid: 1, startedAt: 'x', port } }) as unknown as UpState;
let opened = 0;
function tend(settings: Config = config): DashboardManager {
  const onDashboard = () => void (opened += 1);
  const tender = manageDashboard(settings, { before: before(), onEvent: (event) => events.push(event), onDashboard });
  tenders.push(tender);
  return tender;
}
async function start(): Promise<{ tender: DashboardManager; place: NonNullable<UpState['dashboard']> }> {
  const tender = tend();
  tender.start(bench.url);
  await tender.started();
  const place = tender.currentProcess();
  if (!place) throw new Error(`no dashboard: ${JSON.stringify(events)}`);
  return { tender, place };
}
const output = () => events.map(({ type, text }) => `${type} ${text}`).join('\n');

describe('a managed dashboard', () => {
  test('has the port that it had before, and leaves no process or file when it is stopped', async () => {
    opened = 0;
    const { tender, place } = await start();
    expect(place.port).toBe(port);
    expect((await sendRequest(port, '/')).status).toBe(401);
    expect(output()).toContain(`ready the dashboard is at http://127.0.0.1:${port}`);
    expect(opened).toBe(1);
    await tender.stop();
    expect(isAlive(place)).toBe(false);
    expect(tender.currentProcess()).toBeNull();
    expect(existsSync(dashboardFiles(home).open)).toBe(false);
    expect(existsSync(dashboardFiles(home).listening)).toBe(false);
    expect(existsSync(dashboardFiles(home).secret)).toBe(true);
  });

  test('is restarted on its port when it is killed, and not opened a second time', async () => {
    opened = 0;
    const { tender, place } = await start();
    const changes: unknown[] = [];
    tender.onChange(() => changes.push(tender.currentProcess()?.pid));
    signalProcess(place, 'SIGKILL');
    await expect.poll(output).toMatch(/ready the dashboard is back/);
    const next = tender.currentProcess();
    expect(next?.pid).not.toBe(place.pid);
    expect(next?.port).toBe(port);
    expect(changes).toEqual([next?.pid]);
    expect((await sendRequest(port, '/')).status).toBe(401);
    expect(opened).toBe(1);
  });

  test('replaces a dashboard that a killed parent left', async () => {
    writeSettings(home, { host: '127.0.0.1', port: 0, allowHosts: [], readUrl: null, steer: false, temporal: null });
    const { signal } = new AbortController();
    const leftover = await startDashboard(config, { logFile: join(home, 'logs', 'dashboard.log'), signal });
    const { place } = await start();
    expect(isAlive(leftover)).toBe(false);
    expect(findDashboards(home).map(({ pid }) => pid)).toEqual([place.pid]);
  });

  test('keeps path and token out of its log', async () => {
    const { place } = await start();
    const { path, token } = ensureSecret(home);
    await sendRequest(place.port, `/${path}/enter/${token}`);
    await sendRequest(place.port, `/${path}/api/v1/nothing`, { headers: { cookie: `perpetua=${token}` } });
    await sendRequest(place.port, `/${path}/%E0%A4%A`, { method: 'POST', headers: { cookie: `perpetua=${token}` } });
    const log = await readFile(join(home, 'logs', 'dashboard.log'), 'utf8');
    expect(log).toContain('listens on 127.0.0.1');
    for (const secret of [path, token, new URL(bench.url).password]) expect(log).not.toContain(secret);
  });

  test('gets the URL of its own role, and never that of the owner of the database', async () => {
    const { place } = await start();
    const { password } = new URL(bench.url);
    const settings = readFileSync(dashboardFiles(home).settings, 'utf8');
    expect(new URL(readSettings(home).readUrl ?? '').username).toMatch(/^perpetua_reader_/);
    const process = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${place.pid}/${file}`, 'utf8'));
    for (const text of [settings, ...process]) expect(text).not.toContain(password);
    const { path, token } = ensureSecret(home);
    const headers = { cookie: `perpetua=${token}` };
    expect((await sendRequest(place.port, `/${path}/api/v1/researches`, { headers })).status).toBe(200);
  });

  test('gets the URL of a database once it has tables, and of one that moved', async () => {
    const empty = await makeDatabase(bench.url);
    const tender = tend();
    tender.start(empty);
    await tender.started();
    expect(readSettings(home).readUrl).toBeNull();
    await migrate(empty);
    const database = () => new URL(readSettings(home).readUrl ?? 'none:').pathname;
    await expect.poll(database).toBe(new URL(empty).pathname);
    tender.databaseMoved(bench.url);
    await expect.poll(database).toBe(new URL(bench.url).pathname);
  });

  test('uses another port if its own is taken, and says so', async () => {
    const other = createServer();
    await once(other.listen(port, '127.0.0.1'), 'listening');
    const { place } = await start();
    expect(place.port).not.toBe(port);
    expect(output()).toContain(`warning port ${port} is taken by another program: the dashboard is on ${place.port}`);
    other.close();
  });

  test('that cannot start causes a warning', async () => {
    const tender = tend({ ...config, packageRoot: home });
    tender.start(bench.url);
    await tender.started();
    expect(tender.currentProcess()).toBeNull();
    expect(output()).toMatch(/warning no dashboard: Expected the built dashboard at .*Build it: npm run build/);
  });

  test('that is stopped while it starts does not stay', async () => {
    const tender = tend();
    tender.start(bench.url);
    await tender.stop();
    expect(tender.currentProcess()).toBeNull();
    expect(findDashboards(home)).toEqual([]);
  });
});
