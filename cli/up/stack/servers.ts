import { join } from 'node:path';
import { toolEnv } from '../../../config/child-env.ts';
import type { Config } from '../../../config/load.ts';
import { homePaths } from '../../../config/paths.ts';
import type { UpState } from '../../../config/up-file.ts';
import { startPostgres, type EmbeddedPostgres } from '../../../infra/postgres/embedded.ts';
import { startTemporalServer, stopRunningServer, type TemporalServer } from '../../../infra/temporal/server.ts';
import { describeFind, type OnEvent } from '../events.ts';
import { findTemporalCli } from '../../../infra/temporal/cli/find-cli.ts';
import { moveDatabaseAway } from '../../../infra/temporal/server/database-file.ts';

/** Preferred ports: the usual ones of Temporal, and fixed ones for the rest. */
export const USUAL_PORTS = { grpc: 7233, ui: 8233, postgres: 54_329, dashboard: 4400 };
export const logFiles = (home: string) => {
  const { logs } = homePaths(home);
  return {
    temporal: join(logs, 'temporal.log'),
    postgres: join(logs, 'postgres.log'),
    worker: join(logs, 'worker.log'),
    dashboard: join(logs, 'dashboard.log'),
  };
};

export interface ServerOptions {
  config: Config;
  /** State of the stack that ran here last, for its ports. */
  before: UpState | null;
  onEvent: OnEvent;
  /** Aborts a download or a build of the Temporal server. */
  signal?: AbortSignal;
}

/** Starts or adopts this home's Postgres; null if DATABASE_URL names another server. */
export async function startOwnPostgres({ config, before, onEvent }: ServerOptions): Promise<EmbeddedPostgres | null> {
  if (config.databaseUrl !== null) return null;
  onEvent({ type: 'step', part: 'postgres', text: 'starting Postgres' });
  const port = before?.postgres.embedded ? Number(new URL(before.postgres.url).port) : USUAL_PORTS.postgres;
  const postgres = await startPostgres({
    dir: homePaths(config.home).postgres,
    logFile: logFiles(config.home).postgres,
    port,
  });
  const how = postgres.adopted ? 'still runs, taken over' : 'runs';
  onEvent({
    type: 'ready',
    part: 'postgres',
    text: `Postgres ${postgres.version} ${how} on port ${postgres.port}, data in ${postgres.dataDir}`,
  });
  if (postgres.olderDataDir !== null)
    onEvent({
      type: 'warning',
      part: 'postgres',
      text:
        `the database is new. ${postgres.olderDataDir} has the database of an earlier home at this path, ` +
        'which was removed, was moved, or lost its link postgres/data. If you moved that home, keep the folder: ' +
        'the moved home still uses it',
    });
  if (!postgres.adopted) warnOfOtherPorts(onEvent, 'postgres', [['Postgres', port, postgres.port]]);
  return postgres;
}

/** Finds or gets a Temporal server, and starts or adopts it; null if TEMPORAL_ADDRESS names another server. */
export async function startOwnTemporal(options: ServerOptions & { fresh: boolean }): Promise<TemporalServer | null> {
  const { config, before, onEvent } = options;
  if (config.temporal.address !== null) return null;
  const dir = homePaths(config.home).temporal;
  if (options.fresh) await moveAway(dir, onEvent);
  const cli = await findCli(options);
  onEvent({ type: 'step', part: 'temporal', text: 'starting Temporal' });
  const ports = before?.temporal.embedded ? before.temporal : null;
  const grpc = ports ? portOf(ports.address) : USUAL_PORTS.grpc;
  const ui = ports?.uiUrl ? portOf(ports.uiUrl) : USUAL_PORTS.ui;
  const temporal = await startTemporalServer({
    cli,
    dir,
    logFile: logFiles(config.home).temporal,
    namespace: config.temporal.namespace,
    ports: { grpc, ui },
  });
  const how = temporal.adopted ? 'still runs, taken over' : 'runs';
  onEvent({
    type: 'ready',
    part: 'temporal',
    text: `Temporal server ${temporal.version.server} ${how} at ${temporal.address}, Web UI ${temporal.uiUrl}`,
  });
  if (!temporal.adopted)
    warnOfOtherPorts(onEvent, 'temporal', [
      ['Temporal', grpc, portOf(temporal.address)],
      ['the Web UI', ui, portOf(temporal.uiUrl)],
    ]);
  return temporal;
}

/** Warns of ports that another program has: addresses that a person wrote down are wrong now. */
function warnOfOtherPorts(onEvent: OnEvent, part: 'postgres' | 'temporal', ports: [string, number, number][]): void {
  for (const [name, wanted, actual] of ports)
    if (actual !== wanted)
      onEvent({ type: 'warning', part, text: `port ${wanted} is taken by another program: ${name} is on ${actual}` });
}

async function findCli({ config, onEvent, signal }: ServerOptions) {
  return findTemporalCli({
    cliPath: config.temporalCliPath,
    keptAt: homePaths(config.home).temporalCli,
    env: toolEnv(config),
    packageRoot: config.packageRoot,
    onProgress: (progress) => onEvent(describeFind(progress)),
    ...(signal ? { signal } : {}),
  });
}

async function moveAway(dir: string, onEvent: OnEvent): Promise<void> {
  await stopRunningServer(dir);
  const old = await moveDatabaseAway(dir, new Date());
  if (old) onEvent({ type: 'step', part: 'temporal', text: `moved the old database file to ${old}` });
}

const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1));
