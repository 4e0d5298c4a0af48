import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RestartableServer, TestPostgres } from '../../../../bench/support/servers.ts';
import { startTestPostgres } from '../../../../bench/support/servers.ts';
import { fillObservations } from '../../../../bench/support/seed/fill-observations.ts';
import { seedResearch } from '../../../../bench/support/seed/seed-research.ts';
import { startDashboard } from '../../../../cli/dashboard/process.ts';
import { dashboardFiles } from '../../../../config/dashboard/files.ts';
import { originOf, readListening } from '../../../../config/dashboard/listening.ts';
import { ensureSecret, type Secret } from '../../../../config/dashboard/secret.ts';
import { readSettings, writeSettings } from '../../../../config/dashboard/settings.ts';
import { loadConfig } from '../../../../config/load.ts';
import { homePaths } from '../../../../config/paths.ts';
import { connect, type Db } from '../../../../db/connect.ts';
import { migrate } from '../../../../db/migrate.ts';
import { readerAddress } from '../../../../db/reader/reader-address.ts';
import { stopProcess } from '../../../../infra/process/stop.ts';
import { removeTree } from '../../../../infra/remove-tree.ts';
import { insertAblation, insertKnobs } from '../../../support/database/insert-knobs.ts';
import { throwawayHome } from '../../../support/servers.ts';

/** A dashboard in a process of its own on a real database with three researches: `demo`, `hostile` and `learns`. */
export interface Shown {
  origin: string;
  secret: Secret;
  /** URL of the page for a browser with the cookie. */
  base: string;
  /** File on which a browser is opened. */
  openFile: string;
  databaseUrl: string;
  db: Db;
  dashboard: RestartableServer;
  postgres: TestPostgres;
  /** Output of the dashboard's process. */
  log: () => string;
  stop: () => Promise<void>;
}

/** Starts the dashboard and its database, which takes seconds. */
export async function startShown(): Promise<Shown> {
  const home = await throwawayHome();
  const postgres = await startTestPostgres(home, false);
  await migrate(postgres.url);
  const { db, close } = connect(postgres.url, { max: 4, onError: () => undefined });
  await seed(db);
  const config = loadConfig({ PATH: process.env.PATH, PERPETUA_HOME: home });
  const logFile = join(homePaths(home).logs, 'dashboard.log');
  const secret = ensureSecret(home);
  writeSettings(home, {
    host: '127.0.0.1',
    port: 0,
    allowHosts: [],
    readUrl: (await readerAddress(postgres.url)).url,
    steer: true,
    temporal: null,
  });
  const start = () => startDashboard(config, { logFile, signal: new AbortController().signal });
  let running = await start();
  // Keeps the port for a restart, as `perpetua up` does.
  writeSettings(home, { ...readSettings(home), port: running.port });
  const listening = readListening(home);
  if (!listening) throw new Error('expected a dashboard that listens');
  const origin = originOf(listening);
  return {
    origin,
    secret,
    base: `${origin}/${secret.path}/`,
    databaseUrl: postgres.url,
    db,
    postgres,
    openFile: dashboardFiles(home).open,
    dashboard: {
      pid: () => running.pid,
      kill: async () => void (await stopProcess(running, { signal: 'SIGKILL', graceMs: 10_000 })),
      start: async () => void (running = await start()),
    },
    log: () => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : ''),
    stop: async () => {
      await stopProcess(running, { graceMs: 5000 });
      await close();
      await postgres.stop();
      await removeTree(home);
    },
  };
}

async function seed(db: Db): Promise<void> {
  // There are enough running trials for tests that end some.
  await seedResearch(db, { id: 'demo', trials: 300, slots: 16, trouble: true });
  await seedResearch(db, { id: 'hostile', trials: 60, hostile: true, seed: 2 });
  await insertKnobs(db, ['demo', 'hostile']);
  await insertAblation(db, 'demo');
  await insertAblation(db, 'hostile');
  await seedResearch(db, { id: 'learns', trials: 120, learns: true, seed: 3 });
  for (const id of ['demo', 'hostile', 'learns']) await fillObservations(db, id);
}
