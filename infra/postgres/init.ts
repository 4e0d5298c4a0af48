import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { lchown, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.ts';
import { DataRefusedError, dataOwner } from './data-folder.ts';
import { asUser, type OsUser } from './os-user.ts';
import { clearUnfinished, removeAs, UNFINISHED } from './unfinished.ts';

export const SUPERUSER = 'perpetua';

/** Reads the password of this home, made on first use in a file that only the owner can read. */
export async function readPassword(postgresDir: string): Promise<string> {
  const path = join(postgresDir, 'password');
  // A power cut can leave an empty file. It is replaced if there is no database yet.
  const isMade = existsSync(path) && (readFileSync(path, 'utf8').trim() !== '' || dataOwner(postgresDir) !== null);
  if (!isMade) {
    const temporary = `${path}.${process.pid}`;
    await rm(temporary, { force: true });
    await writeSafely(temporary, randomBytes(24).toString('base64url'));
    await rename(temporary, path);
    await sync(postgresDir);
  }
  return readFileSync(path, 'utf8').trim();
}

/**
 * Makes a database if the folder is empty. initdb runs in a folder beside it, which then replaces it by a rename. So
 * after any crash, the folder has a whole database or nothing. Throws DataRefusedError if it has any other content.
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
  await clearUnfinished(data, user);
  const made = await mkdtemp(`${data}${UNFINISHED}`).catch((error: unknown) => fail(data, error));
  const passwordFile = `${made}.pw`;
  try {
    await writeSafely(passwordFile, password);
    if (user) for (const path of [made, passwordFile]) await lchown(path, user.uid, user.gid);
    await promisify(execFile)(
      binaries.initdb,
      [
        '--pgdata',
        made,
        '--username',
        SUPERUSER,
        '--pwfile',
        passwordFile,
        '--auth',
        'scram-sha-256',
        '--encoding',
        'UTF8',
        '--locale',
        'C',
        // The builtin provider sorts the same on every machine and after every upgrade of its libraries.
        '--locale-provider',
        'builtin',
        '--builtin-locale',
        'C.UTF-8',
      ],
      { ...asUser(user), env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } },
    );
    await rm(passwordFile, { force: true });
    await writeSafely(join(made, READY), `${binaries.version}\n`);
    await sync(made);
    await rename(made, data);
    await sync(dirname(data));
  } catch (error) {
    await Promise.all([removeAs(user, made), rm(passwordFile, { force: true })]).catch(() => undefined);
    fail(data, error);
  }
}

/** Marker file of each data folder that Perpetua made. */
const READY = 'perpetua-ready';

/** Refuses a folder with content, since a link may lead to any folder. */
function refuseOthers(data: string): void {
  const names = readdirSync(data);
  if (names.length === 0) return;
  const isOurs = names.includes('PG_VERSION') || existsSync(`${data}.pw`);
  throw new DataRefusedError(
    `Expected an empty folder or a database of Perpetua in ${data}, found ${names.slice(0, 3).join(', ')}` +
      `${isOurs ? ' (perhaps an unfinished database)' : ''}. ` +
      'Move them away for an empty database, or point the link postgres/data to the right folder.',
  );
}

/** Writes a new file that survives a power cut. */
async function writeSafely(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs a folder, so that a power cut loses none of its names. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Error codes of a folder that cannot be replaced, or whose parent is not writable. */
const NOT_REPLACED = ['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS'];

function fail(data: string, error: unknown): never {
  const { stderr, message, code = '' } = error as Error & { stderr?: string; code?: string };
  const hint = NOT_REPLACED.includes(code)
    ? `. Perpetua creates the database beside that folder and renames it: ${whyNot(data)}`
    : '';
  throw new Error(`Expected initdb to make ${data}; it failed: ${stderr?.trim() || message}${hint}`, { cause: error });
}

const whyNot = (data: string): string =>
  statSync(data).dev === statSync(dirname(data)).dev
    ? `this process must be able to write in ${dirname(data)}`
    : `${data} is the root of a disk; point the link postgres/data to a folder on that disk`;
