import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { lchown, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.ts';
import { DataRefusedError } from './data-folder.ts';
import { asUser, type OsUser } from './os-user.ts';

export const SUPERUSER = 'perpetua';

/** The password of this home, made on first use; only its owner may read the file. */
export async function readPassword(postgresDir: string): Promise<string> {
  const path = join(postgresDir, 'password');
  if (!existsSync(path)) {
    const next = `${path}.${process.pid}`;
    await writeFile(next, randomBytes(24).toString('base64url'), { mode: 0o600 });
    await rename(next, path);
  }
  return (await readFile(path, 'utf8')).trim();
}

/**
 * Runs initdb where the folder is empty: beside it, and takes its place when it is done, so that the folder holds a whole
 * database or nothing, whenever we die. Throws DataRefusedError where anything else is in it.
 */
export async function initialise(options: {
  binaries: PostgresBinaries;
  data: string;
  user: OsUser | null;
  password: string;
}): Promise<void> {
  const { binaries, data, user, password } = options;
  if (existsSync(join(data, READY))) return;
  refuseOthers(data);
  await clearUnfinished(data);
  const made = await mkdtemp(`${data}${UNFINISHED}`).catch((error: unknown) => fail(data, error));
  const passwordFile = `${made}.pw`;
  try {
    await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
    if (user) for (const path of [made, passwordFile]) await lchown(path, user.uid, user.gid);
    await promisify(execFile)(
      binaries.initdb,
      [
        ...['--pgdata', made, '--username', SUPERUSER, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
        // The builtin provider sorts the same on every machine and after every upgrade of its libraries.
        ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ],
      { ...asUser(user), env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } },
    );
    await writeFile(join(made, READY), `${binaries.version}\n`, { flag: 'wx' });
    await rename(made, data);
    await sync(dirname(data));
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    fail(data, error);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** In each data folder that we made. */
const READY = 'perpetua-ready';
const UNFINISHED = '.initdb-';

/** What a link leads to may be anything. */
function refuseOthers(data: string): void {
  const names = readdirSync(data);
  if (names.length > 0)
    throw new DataRefusedError(
      `Expected an empty folder or a database of Perpetua in ${data}, found ${names.slice(0, 3).join(', ')}. ` +
        'Move them away for an empty database, or let the link postgres/data lead to the right folder.',
    );
}

/** Of starts that were killed. One whose initdb still writes is retried, and ends for want of its folder. */
async function clearUnfinished(data: string): Promise<void> {
  const parent = dirname(data);
  for (const name of readdirSync(parent).filter((one) => one.startsWith(`${basename(data)}${UNFINISHED}`)))
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** What is committed from now on must not be lost with the folder's new name. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function fail(data: string, error: unknown): never {
  const { stderr, message } = error as Error & { stderr?: string };
  const why =
    stderr?.trim() ?? `${message}. A link postgres/data leads to a folder that can be replaced, not to a whole disk`;
  throw new Error(`Expected initdb to make ${data}, it failed: ${why}`, { cause: error });
}
