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
import { findTemporalCli, type FoundCli } from '../../infra/temporal/find-cli.ts';
import { startTemporalServer } from '../../infra/temporal/server.ts';

/** A server that a test takes away and brings back. */
export interface RestartableServer {
  /** Of the server process that runs now. */
  pid(): number;
  /** SIGKILL of the server process; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same data and the same port. */
  start(): Promise<void>;
}

/** Servers of one test run. */
export interface TestServers {
  /** `fresh` moves the database file away first, as `perpetua up --fresh-temporal` does. */
  temporal: RestartableServer & { start(options?: { fresh: boolean }): Promise<void> };
  postgres: RestartableServer;
  temporalAddress: string;
  uiUrl: string;
  /** Of an empty database; its user may create others. */
  databaseUrl: string;
  /** Throwaway; gone after stop. */
  home: string;
  stop(): Promise<void>;
}

/** The `temporal` binary for tests: found, or got once and kept in the clone. A build takes minutes. */
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

/** A folder of its own that Postgres's user can enter, also where tests run as root. */
export async function throwawayHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'perpetua-test-'));
  await chmod(home, 0o711);
  return home;
}

export interface ServerOptions {
  /** False: a Postgres that is killed loses what it had committed last. */
  durable?: boolean;
  /** An empty database of a Postgres that others use, too; by default a Postgres of their own is started. */
  databaseUrl?: string | undefined;
}

/** A real Temporal server and a real Postgres on free ports, in a throwaway home. About 2 s. */
export async function startTestServers({ durable = false, databaseUrl }: ServerOptions = {}): Promise<TestServers> {
  const cli = await testCli();
  const home = await throwawayHome();
  const { logs, temporal } = homePaths(home);
  const startServer = (ports: { grpc: number | null; ui: number | null }) =>
    startTemporalServer({ cli, dir: temporal, logFile: join(logs, 'temporal.log'), namespace: 'default', ports });
  const [first, postgres] = await Promise.all([
    startServer({ grpc: null, ui: null }),
    databaseUrl === undefined ? startTestPostgres(home, durable) : ofOthers(databaseUrl),
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

/** A Postgres of its own, in a home. */
export interface TestPostgres extends RestartableServer {
  url: string;
  stop(): Promise<void>;
}

/** A real Postgres on a free port. */
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

function ofOthers(url: string): TestPostgres {
  const refuse = (): never => {
    throw new Error(
      'Expected a Postgres of its own to be killed; others use this one: start the servers with `durable`',
    );
  };
  return { url, pid: refuse, kill: refuse, start: refuse, stop: () => Promise.resolve() };
}

/** A client that keeps knocking at a port of a dead server can hold it itself for a moment (it connects to its own socket). */
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
