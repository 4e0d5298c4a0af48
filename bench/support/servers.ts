import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toolEnv } from '../../config/child-env.ts';
import { loadConfig } from '../../config/load.ts';
import { homePaths, packageRoot } from '../../config/paths.ts';
import { startPostgres } from '../../infra/postgres/embedded.ts';
import { SHARED_ROOT } from '../../infra/postgres/data-folder.ts';
import { isFree } from '../../infra/process/free-port.ts';
import { removeTree } from '../../infra/remove-tree.ts';
import type { ProcessIdentity } from '../../infra/process/identity.ts';
import { stopProcess } from '../../infra/process/stop.ts';
import { moveDatabaseAway } from '../../infra/temporal/server/database-file.ts';
import { findTemporalCli, type FoundCli } from '../../infra/temporal/cli/find-cli.ts';
import { startTemporalServer } from '../../infra/temporal/server.ts';

/** A server that a test can kill and restart. */
export interface RestartableServer {
  /** Process id of the current server process. */
  pid(): number;
  /** Sends SIGKILL to the server process; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts the server again on the same data and the same port. */
  start(): Promise<void>;
}

/** Servers of one test run. */
export interface TestServers {
  /** `fresh` moves the database file away first, as `perpetua up --fresh-temporal` does. */
  temporal: RestartableServer & { start(options?: { fresh: boolean }): Promise<void> };
  postgres: RestartableServer;
  temporalAddress: string;
  uiUrl: string;
  /** URL of an empty database, whose user may create others. */
  databaseUrl: string;
  /** A throwaway home, removed by `stop`. */
  home: string;
  stop(): Promise<void>;
}

/** Finds the `temporal` binary for tests, or obtains it once and keeps it in the clone. A build takes minutes. */
export function testCli(): Promise<FoundCli> {
  const config = loadConfig();
  return findTemporalCli({
    cliPath: config.temporalCliPath,
    keptAt: homePaths(join(packageRoot(), '.perpetua')).temporalCli,
    env: toolEnv(config),
    packageRoot: packageRoot(),
    onProgress: () => {},
  });
}

/** Makes a new folder that the user of Postgres can enter, even if tests run as root. */
export async function throwawayHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'perpetua-test-'));
  await chmod(home, 0o711);
  return home;
}

export interface ServerOptions {
  /** False: a killed Postgres loses its last commits. */
  durable?: boolean;
  /** URL of an empty database of a shared Postgres; by default a new Postgres is started. */
  databaseUrl?: string | undefined;
}

/** Starts a real Temporal server and a real Postgres on free ports, in a throwaway home. Takes about 2 s. */
export async function startTestServers({ durable = false, databaseUrl }: ServerOptions = {}): Promise<TestServers> {
  const cli = await testCli();
  const home = await throwawayHome();
  const { logs, temporal } = homePaths(home);
  const startServer = (ports: { grpc: number | null; ui: number | null }) =>
    startTemporalServer({ cli, dir: temporal, logFile: join(logs, 'temporal.log'), namespace: 'default', ports });
  const [first, postgres] = await Promise.all([
    startServer({ grpc: null, ui: null }),
    databaseUrl === undefined ? startTestPostgres(home, durable) : sharedPostgres(databaseUrl),
  ]);
  let server = first;
  const { address, uiUrl } = server;
  return {
    temporalAddress: address,
    uiUrl,
    databaseUrl: postgres.url,
    home,
    temporal: {
      pid: () => server.process.pid,
      kill: () => killNow(server.process),
      start: async ({ fresh } = { fresh: false }) => {
        if (fresh) await moveDatabaseAway(temporal, new Date());
        await untilFree(portOf(`http://${address}`), portOf(uiUrl));
        server = await startServer({ grpc: portOf(`http://${address}`), ui: portOf(uiUrl) });
        if (server.address !== address) throw new Error(`expected Temporal back at ${address}, got ${server.address}`);
      },
    },
    postgres,
    stop: async () => {
      await server.stop();
      await postgres.stop();
      await removeTree(home);
    },
  };
}

/** A Postgres of a test. */
export interface TestPostgres extends RestartableServer {
  url: string;
  stop(): Promise<void>;
}

/** Starts a real Postgres on a free port, with its data in the home. */
export async function startTestPostgres(home: string, durable: boolean): Promise<TestPostgres> {
  const { logs, postgres: dir } = homePaths(home);
  const startOn = (port: number | null) => startPostgres({ dir, logFile: join(logs, 'postgres.log'), port, durable });
  let server = await startOn(null);
  return {
    url: server.url,
    pid: () => server.process.pid,
    kill: () => killNow(server.process),
    start: async () => {
      const { port } = server;
      await untilFree(port);
      server = await startOn(port);
      if (server.port !== port) throw new Error(`expected Postgres back on port ${port}, got ${server.port}`);
    },
    stop: async () => {
      await server.stop();
      if (dirname(dirname(server.dataDir)) === SHARED_ROOT) await rm(dirname(server.dataDir), { recursive: true });
    },
  };
}

/** A Postgres that others use, too, and which therefore cannot be killed or restarted. */
function sharedPostgres(url: string): TestPostgres {
  const refuse = (): never => {
    throw new Error(
      'Expected a Postgres of its own to be killed; others use this one: start the servers with `durable`',
    );
  };
  return { url, pid: refuse, kill: refuse, start: refuse, stop: () => Promise.resolve() };
}

/**
 * Waits at most 20 s for the ports to be free. A client that reconnects to the port of a dead server may occupy it for
 * a moment, by a connection to its own socket.
 */
async function untilFree(...ports: number[]): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const free = await Promise.all(ports.map(isFree));
    if (!free.includes(false)) return;
    await sleep(100);
  }
}

const portOf = (url: string): number => Number(new URL(url).port);

const killNow = async (process: ProcessIdentity): Promise<void> =>
  void (await stopProcess(process, { signal: 'SIGKILL', graceMs: 10_000 }));
