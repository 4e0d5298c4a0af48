import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { connect } from 'node:net';
import { freePort } from '../process/free-port.ts';
import { isAlive, type ProcessIdentity } from '../process/identity.ts';
import { logTail } from '../process/log-file.ts';
import { startDetached } from '../process/start.ts';
import { stopProcess } from '../process/stop.ts';
import { findRunningServer, type RunningServer } from './adopt.ts';
import type { CliVersion } from './cli-version.ts';
import { claimDatabaseFile } from './server/database-file.ts';
import { writePresets } from './server/presets.ts';
import { serverArguments } from './server/arguments.ts';

export interface TemporalServerOptions {
  cli: { path: string; version: CliVersion };
  /** Folder of the database file. */
  dir: string;
  logFile: string;
  namespace: string;
  /** Taken where free; null: any. After a crash the old ones, so that workers find the server again. */
  ports: { grpc: number | null; ui: number | null };
  /** A slow disk may need long for the first start. */
  healthyWithinMs?: number;
}

/** A running dev server. */
export interface TemporalServer {
  address: string;
  uiUrl: string;
  namespace: string;
  process: ProcessIdentity;
  version: CliVersion;
  /** True if it ran already. */
  adopted: boolean;
  /** TERM, up to 10 s, KILL; the database file survives either. */
  stop(): Promise<void>;
}

/** The server did not come up; the message ends with its log. */
export class TemporalStartError extends Error {
  override readonly name = 'TemporalStartError';
}

const ATTEMPTS = 3;

/**
 * Adopts the server that holds this folder's file, or starts one detached on 127.0.0.1, and waits until its namespace
 * answers. Throws OtherServerVersionError where the file is another version's, TemporalStartError where it does not come up.
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const running = await findRunningServer(options.dir);
  if (running) {
    const server = describeServer(running, true);
    const usable = running.namespace === options.namespace && (await becomesHealthy(server, options));
    if (usable) return server;
    await server.stop(); // two servers on one file would damage it
  }
  const database = await claimDatabaseFile(options.dir, options.cli.version);
  for (let attempt = 1; ; attempt++) {
    const server = await launch(options, database);
    try {
      await waitUntilHealthy(server, options);
      return server;
    } catch (error) {
      await server.stop();
      // Between the look and the start somebody may have taken a port.
      const portTaken = /address already in use/.test(logTail(options.logFile));
      if (!portTaken || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Stops the server that holds this folder's file, if any. */
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

const becomesHealthy = (server: TemporalServer, options: TemporalServerOptions): Promise<boolean> =>
  waitUntilHealthy(server, { ...options, healthyWithinMs: 20_000 }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof TemporalStartError) return false;
      throw error;
    },
  );

/** Closed runs stay readable for a week; the lineage in Postgres stays for good. */
export const RETENTION_SECONDS = 7 * 24 * 3600;

/** Sets the retention of a namespace of our own server; idempotent. */
async function setRetention(connection: Connection, namespace: string): Promise<void> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  if (Number(config?.workflowExecutionRetentionTtl?.seconds) === RETENTION_SECONDS) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as never } },
  });
}

/** True once the namespace answers; false while the server is still coming up. */
async function answers(connection: Connection, namespace: string): Promise<boolean> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error)) return false;
    throw error;
  }
}

/** Throws TemporalStartError where the process ends first or the time is over. */
async function waitUntilHealthy(
  server: TemporalServer,
  options: Pick<TemporalServerOptions, 'logFile' | 'healthyWithinMs' | 'namespace'>,
): Promise<void> {
  const limitMs = options.healthyWithinMs ?? 120_000;
  const deadline = performance.now() + limitMs;
  const connection = Connection.lazy({ address: server.address });
  try {
    // A refused gRPC connection is only tried again after a second, so look at the port first.
    const port = Number(server.address.split(':')[1]);
    const isUp = async () =>
      (await accepts(port)) && connection.withDeadline(Date.now() + 2000, () => answers(connection, options.namespace));
    while (!(await isUp())) {
      const dead = !isAlive(server.process);
      if (dead || performance.now() > deadline)
        throw new TemporalStartError(
          `Expected the Temporal server to answer at ${server.address}, ` +
            `${dead ? 'it ended' : `it did not within ${limitMs / 1000} s`}. Its log, ${options.logFile}, ends with:\n` +
            logTail(options.logFile),
        );
      await sleep(50);
    }
    await setRetention(connection, options.namespace);
  } finally {
    await connection.close();
  }
}

/** True if something accepts connections on that port of 127.0.0.1. */
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
