import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cwdOf } from '../process/cwd.ts';
import { commandLine, identify, type ProcessIdentity } from '../process/identity.ts';

/** Longest wait for an answer of the running Postgres. */
const ANSWERS_WITHIN_MS = 30_000;

/** SQLSTATE of a wrong password, for which a retry is useless. */
export const WRONG_PASSWORD = '28P01';
export const WRONG_PASSWORD_MESSAGE =
  'Expected Postgres to accept the password in postgres/password of this home; it refused that password: ' +
  'the file or the data comes from another home.';

/** Process and port of a Postgres, from postmaster.pid. */
export interface Postmaster {
  process: ProcessIdentity;
  port: number;
}

/** A running Postgres that holds the data folder refuses the connection. */
export class PostgresInUseError extends Error {
  override readonly name = 'PostgresInUseError';
}

/**
 * Finds a Postgres that still serves this data folder after its parent was killed. Verifies process, port, password and
 * data folder. If there is none, removes a stale postmaster.pid and returns null. Throws PostgresInUseError.
 */
export async function adoptPostgres(data: string, urlOf: (port: number) => string): Promise<Postmaster | null> {
  const path = join(data, 'postmaster.pid');
  const found = readPostmaster(path, data);
  if (found === null) {
    // Postgres itself takes any living process with that id for a server, so a stale file must not stay.
    await rm(path, { force: true });
    return null;
  }
  const deadline = performance.now() + ANSWERS_WITHIN_MS;
  let reason = 'it did not answer';
  while (performance.now() < deadline) {
    if (identify(found.process.pid)?.startedAt !== found.process.startedAt) return adoptPostgres(data, urlOf);
    const serves = await servedFolder(urlOf(found.port)).catch((error: Error & { code?: string }) => {
      reason = error.message;
      if (error.code === WRONG_PASSWORD)
        throw new PostgresInUseError(
          `${WRONG_PASSWORD_MESSAGE} First stop the server that holds the data: \`kill -INT ${found.process.pid}\`. ` +
            'Then restore the file, or move file and data away for an empty database.',
        );
      return null;
    });
    if (serves === data) return found;
    if (serves !== null) reason = `port ${found.port} serves ${serves}`;
    await sleep(200);
  }
  throw new PostgresInUseError(
    `Expected the Postgres with process id ${found.process.pid}, which holds ${data}, ` +
      `to answer on port ${found.port}: ${reason}. Stop it with \`kill -INT ${found.process.pid}\` and start again.`,
  );
}

function readPostmaster(path: string, data: string): Postmaster | null {
  if (!existsSync(path)) return null;
  const [pid, folder, , port] = readFileSync(path, 'utf8').split('\n');
  const process = identify(Number(pid));
  // The system may have given the id to another program.
  if (!process || !/postgres/.test(commandLine(process.pid))) return null;
  // Undefined if root without capabilities cannot read it; the check of the port then decides.
  const folderOfProcess = cwdOf(process.pid);
  if (folderOfProcess !== undefined && folderOfProcess !== data) return null;
  return folder && port && realpathSync(folder) === data ? { process, port: Number(port) } : null;
}

async function servedFolder(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {}); // the query reports the error
  await client.connect();
  try {
    const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    return rows[0]?.folder ?? null;
  } finally {
    await client.end();
  }
}
