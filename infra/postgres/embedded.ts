import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../process/free-port.ts';
import { isAlive, type ProcessIdentity } from '../process/identity.ts';
import { logTail } from '../process/log-file.ts';
import { startDetached } from '../process/start.ts';
import { stopProcess } from '../process/stop.ts';
import { adoptPostgres, WRONG_PASSWORD_MESSAGE, type Postmaster, WRONG_PASSWORD } from './adopt.ts';
import { findBinaries, type PostgresBinaries } from './binaries.ts';
import { copiesFolder, dataFolder, dataOwner, refuseOtherMajor } from './data-folder.ts';
import { initialise, readPassword, SUPERUSER } from './init.ts';
import { asUser, type OsUser, postgresUser } from './os-user.ts';

export interface EmbeddedPostgresOptions {
  /** Folder of password and data; `data` may be a link to a folder that the user of Postgres can enter. */
  dir: string;
  logFile: string;
  /** Preferred port; null: any. After a crash, the previous port, so that workers find Postgres again. */
  port: number | null;
  /** False only for throwaway databases of tests: no fsync. */
  durable?: boolean;
}

/** A running Postgres that Perpetua started. */
export interface EmbeddedPostgres {
  /** URL of the database `perpetua`, with the password. */
  url: string;
  port: number;
  process: ProcessIdentity;
  dataDir: string;
  /** Set for a new database: the folder with the data of an earlier home at this path; else null. */
  olderDataDir: string | null;
  version: string;
  /** True if Postgres ran already. */
  adopted: boolean;
  /** Stops Postgres: fast shutdown, which rolls open transactions back, for at most 30 s, then KILL. */
  stop(): Promise<void>;
}

/** Postgres did not start; the message ends with its log. */
export class PostgresStartError extends Error {
  override readonly name = 'PostgresStartError';
}

const DATABASE = 'perpetua';
const READY_WITHIN_MS = 60_000;
const ATTEMPTS = 5;

/** Adopts or starts the Postgres of this folder, and waits until its database exists. First start: about 2 s. */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const user = postgresUser(dataOwner(options.dir));
  const binaries = await findBinaries(user, copiesFolder(user, dirname(options.dir)));
  const { path: data, olderFolder } = await dataFolder(options.dir, user);
  const password = await readPassword(options.dir);
  const urlOf = (port: number, database = 'postgres') =>
    `postgres://${SUPERUSER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  await initialise({ binaries, data, user, password });
  refuseOtherMajor(data, binaries.major);
  const adopted = await adoptPostgres(data, urlOf);
  const found = adopted ?? (await launch({ ...options, binaries, data, user, urlOf }));
  await ensureDatabase(urlOf(found.port));
  return {
    url: urlOf(found.port, DATABASE),
    port: found.port,
    process: found.process,
    dataDir: data,
    olderDataDir: olderFolder,
    version: binaries.version,
    adopted: adopted !== null,
    stop: async () => void (await stopProcess(found.process, { signal: 'SIGINT', graceMs: 30_000 })),
  };
}

interface Launch extends EmbeddedPostgresOptions {
  binaries: PostgresBinaries;
  data: string;
  user: OsUser | null;
  urlOf: (port: number) => string;
}

async function launch(options: Launch): Promise<Postmaster> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(options.port);
    const process = await startDetached({
      command: options.binaries.postgres,
      argv0: 'postgres',
      args: postgresArguments({ durable: options.durable ?? true }),
      env: postgresEnvironment({ data: options.data, port, bin: dirname(options.binaries.postgres) }),
      logFile: options.logFile,
      ...splitUser(options.user),
    });
    try {
      await waitUntilReady(process, options.urlOf(port), options.logFile);
      return { process, port };
    } catch (error) {
      if (!(error instanceof PostgresStartError)) throw error;
      await stopProcess(process, { signal: 'SIGINT', graceMs: 10_000 });
      // Another program took the port, or children of a killed Postgres still hold its shared memory.
      const isTransient = /could not bind|pre-existing shared memory|is still in use/.test(logTail(options.logFile));
      if (!isTransient || attempt === ATTEMPTS) throw error;
      await sleep(300);
    }
  }
}

/** Arguments of `postgres`: listens on 127.0.0.1 only, since a deep home would make a socket's path too long. */
function postgresArguments(options: { durable: boolean }): string[] {
  const sync = options.durable ? 'on' : 'off';
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    fsync: sync,
    synchronous_commit: sync,
    full_page_writes: sync,
    // For workers, with about ten connections each, dashboards, and a person's psql.
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    // A frozen or disconnected worker must not keep its row locks.
    idle_in_transaction_session_timeout: '5min',
    tcp_keepalives_idle: '30',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Data folder and port, in the environment: all users can read a command line, but only its owner an environment. */
const postgresEnvironment = (options: { data: string; port: number; bin: string }): Record<string, string> => ({
  PGDATA: options.data,
  PGPORT: String(options.port),
  // Postgres, started by the name `postgres`, finds its own program on this PATH.
  PATH: `${options.bin}:/usr/bin:/bin`,
  LC_ALL: 'C',
  TZ: 'UTC',
});

function splitUser(user: OsUser | null) {
  const { cwd, uid, gid } = asUser(user);
  return uid === undefined || gid === undefined ? { cwd } : { cwd, user: { uid, gid } };
}

async function waitUntilReady(process: ProcessIdentity, url: string, logFile: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const problem = await query(url, 'select 1').then(
      () => null,
      (error: Error & { code?: string }) => error,
    );
    if (problem === null) return;
    if (problem.code === WRONG_PASSWORD)
      throw new PostgresStartError(
        `${WRONG_PASSWORD_MESSAGE} Restore the file, or move file and data away for an empty database.`,
      );
    const isDead = !isAlive(process);
    if (isDead || performance.now() > deadline) {
      const late = `it did not within ${READY_WITHIN_MS / 1000} s (${problem.message})`;
      throw new PostgresStartError(
        `Expected Postgres to answer; ${isDead ? 'it ended' : late}. ` +
          `Its log, ${logFile}, ends with:\n${logTail(logFile)}`,
      );
    }
    await sleep(30);
  }
}

async function ensureDatabase(url: string): Promise<void> {
  const count = await query(url, `select 1 from pg_database where datname = '${DATABASE}'`);
  if (count > 0) return;
  await query(url, `create database ${DATABASE}`).catch((error: Error & { code?: string }) => {
    if (error.code !== '42P04') throw error; // 42P04: another process created the database
  });
}

/** Runs one statement on a new connection; returns the number of rows. */
async function query(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {}); // the statement below reports the error
  await client.connect();
  try {
    return (await client.query(sql)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
