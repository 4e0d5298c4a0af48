import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { connect } from 'node:net';
import { freePort, isFree } from '../process/free-port.ts';
import { isAlive, type ProcessIdentity } from '../process/identity.ts';
import { listens } from '../process/listens.ts';
import { logTail } from '../process/log-file.ts';
import { startDetached } from '../process/start.ts';
import { stopProcess } from '../process/stop.ts';
import { findRunningServer, type RunningServer } from './adopt.ts';
import type { CliVersion } from './cli/cli-version.ts';
import { clientOptions } from './connection-options.ts';
import { claimDatabaseFile } from './server/database-file.ts';
import { writePresets } from './server/presets.ts';
import { serverArguments } from './server/arguments.ts';

export interface TemporalServerOptions {
  cli: { path: string; version: CliVersion };
  /** Folder of the database file. */
  dir: string;
  logFile: string;
  namespace: string;
  /** Preferred ports; null: any. After a crash, the previous ports, so that workers find the server again. */
  ports: { grpc: number | null; ui: number | null };
  /** Longest start in ms; default: 120,000, since a slow disk may need long for the first start. */
  healthyWithinMs?: number;
}

/** A running dev server. */
export interface TemporalServer {
  address: string;
  uiUrl: string;
  namespace: string;
  process: ProcessIdentity;
  version: CliVersion;
  /** True if the server ran already. */
  adopted: boolean;
  /** Sends TERM and, after 10 s, KILL; the database file survives both. */
  stop(): Promise<void>;
}

/** The server did not start; the message ends with its log. */
export class TemporalStartError extends Error {
  override readonly name = 'TemporalStartError';
}

const ATTEMPTS = 3;

/**
 * Adopts the server that holds this folder's file, or starts a detached one on 127.0.0.1, and waits until its namespace
 * answers. Throws OtherServerVersionError if another version wrote the file, and TemporalStartError if the start fails.
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const running = await findRunningServer(options.dir);
  if (running) {
    const server = describeServer(running, true);
    const usable = running.namespace === options.namespace && (await becomesHealthy(server, options));
    if (usable) return server;
    await server.stop(); // two servers would damage the file
  }
  const database = await claimDatabaseFile(options.dir, options.cli.version);
  for (let attempt = 1; ; attempt++) {
    const server = await launch(options, database);
    try {
      await waitUntilHealthy(server, options);
      return server;
    } catch (error) {
      await server.stop();
      // Another program may have taken a port between the check and the start.
      const free = await Promise.all([server.address, server.uiUrl].map((address) => isFree(portOf(address))));
      if (free.every(Boolean) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Stops the server that holds this folder's file, if there is one. */
export async function stopRunningServer(dir: string): Promise<void> {
  const running = await findRunningServer(dir);
  if (running) await describeServer(running, true).stop();
}

async function launch(options: TemporalServerOptions, database: string): Promise<TemporalServer> {
  const { namespace, cli } = options;
  const grpc = await freePort(options.ports.grpc);
  const ui = await freePort(options.ports.ui, [grpc]);
  await writePresets(options.dir, { grpc, ui, database });
  const process = await startDetached({
    command: cli.path,
    argv0: 'temporal',
    args: await serverArguments({ cli: cli.path, namespace }),
    env: { HOME: options.dir, PATH: '/usr/bin:/bin' },
    cwd: options.dir,
    logFile: options.logFile,
  });
  return describeServer({ process, namespace, grpc, ui, version: cli.version }, false);
}

function describeServer(found: RunningServer, adopted: boolean): TemporalServer {
  return {
    address: `127.0.0.1:${found.grpc}`,
    uiUrl: `http://127.0.0.1:${found.ui}`,
    namespace: found.namespace,
    process: found.process,
    version: found.version,
    adopted,
    stop: async () => void (await stopProcess(found.process, { graceMs: 10_000 })),
  };
}

const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1));

const becomesHealthy = (server: TemporalServer, options: TemporalServerOptions): Promise<boolean> =>
  waitUntilHealthy(server, { ...options, healthyWithinMs: 20_000 }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof TemporalStartError) return false;
      throw error;
    },
  );

/** Time for which closed runs stay readable: a week. The lineage in Postgres stays for good. */
export const RETENTION_SECONDS = 7 * 24 * 3600;

/** Sets the retention of a namespace on Perpetua's own server; idempotent. */
async function setRetention(connection: Connection, namespace: string): Promise<void> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  if (Number(config?.workflowExecutionRetentionTtl?.seconds) === RETENTION_SECONDS) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as never } },
  });
}

/** True if the namespace answers; false while the server starts. */
async function answers(connection: Connection, namespace: string): Promise<boolean> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error)) return false;
    throw error;
  }
}

/** Waits until the namespace answers. Throws TemporalStartError if the process ends or the time is over. */
async function waitUntilHealthy(
  server: TemporalServer,
  options: Pick<TemporalServerOptions, 'logFile' | 'healthyWithinMs' | 'namespace'>,
): Promise<void> {
  const limitMs = options.healthyWithinMs ?? 120_000;
  const deadline = performance.now() + limitMs;
  const connection = Connection.lazy(clientOptions({ address: server.address, connection: {} }, {}));
  try {
    // Checks the port first: gRPC retries a refused connection only after a second. The server of another stack that
    // took the port meanwhile would answer, too.
    const port = portOf(server.address);
    const isUp = async () =>
      (await accepts(port)) &&
      listens(server.process.pid, port) &&
      connection.withDeadline(Date.now() + 2000, () => answers(connection, options.namespace));
    while (!(await isUp())) {
      const dead = !isAlive(server.process);
      if (dead || performance.now() > deadline)
        throw new TemporalStartError(
          `Expected the Temporal server to answer at ${server.address}; ` +
            `${dead ? 'it ended' : `it did not within ${limitMs / 1000} s`}. ` +
            `Its log, ${options.logFile}, ends with:\n` +
            logTail(options.logFile),
        );
      await sleep(50);
    }
    await setRetention(connection, options.namespace);
  } finally {
    await connection.close();
  }
}

/** True if a process accepts connections on the port of 127.0.0.1. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
