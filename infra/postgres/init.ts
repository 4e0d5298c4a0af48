import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { lchown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
 * Runs initdb where the folder is empty; one that an earlier initdb of ours left half done is emptied first. Throws
 * DataRefusedError where anything else is in it.
 */
export async function initialise(options: {
  /** Of this home. */
  dir: string;
  binaries: PostgresBinaries;
  data: string;
  user: OsUser | null;
  password: string;
}): Promise<void> {
  const { dir, binaries, data, user, password } = options;
  // initdb writes PG_VERSION early, so a mark of our own says that it came to its end.
  const done = join(data, 'perpetua-ready');
  const begun = join(dir, 'initdb-begun');
  if (existsSync(done)) return rm(begun, { force: true });
  if (existsSync(join(data, 'PG_VERSION')) && existsSync(join(data, 'postmaster.opts')))
    throw new DataRefusedError(
      `Expected a data folder that Perpetua made, found another Postgres's in ${data}. Move it away.`,
    );
  const passwordFile = `${data}.pw`;
  await empty(data, { begun, passwordFile });
  await writeFile(begun, identityOf(data));
  let wrote = false;
  try {
    await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
    wrote = true;
    if (user) await lchown(passwordFile, user.uid, user.gid);
    await promisify(execFile)(
      binaries.initdb,
      [
        ...['--pgdata', data, '--username', SUPERUSER, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
        // The builtin provider sorts the same on every machine and after every upgrade of its libraries.
        ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ],
      { ...asUser(user), env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } },
    );
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    // It has cleaned up after itself: what comes into the folder from here on is a person's.
    if (readdirSync(data).length === 0) await rm(begun, { force: true });
    throw new Error(`Expected initdb to make ${data}, it failed: ${(stderr ?? (error as Error).message).trim()}`, {
      cause: error,
    });
  } finally {
    if (wrote) await rm(passwordFile, { force: true });
  }
  await writeFile(done, `${binaries.version}\n`, { flag: 'wx' });
  await rm(begun, { force: true });
}

/** What a link leads to may be anything: only what an initdb of ours began in there is removed. */
async function empty(data: string, { begun, passwordFile }: Record<'begun' | 'passwordFile', string>): Promise<void> {
  const names = readdirSync(data);
  const isOurs = existsSync(begun) && (await readFile(begun, 'utf8')) === identityOf(data);
  if (names.length > 0 && !isOurs)
    throw new DataRefusedError(
      `Expected an empty folder or a database of Perpetua in ${data}, found ${names.slice(0, 3).join(', ')}. ` +
        'Move them away for an empty database, or let the link postgres/data lead to the right folder.',
    );
  for (const name of names) await rm(join(data, name), { recursive: true });
  if (isOurs) await rm(passwordFile, { force: true });
}

/** A folder, and not what is mounted over it later. */
export function identityOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${folder}\n${dev}:${ino}\n`;
}
