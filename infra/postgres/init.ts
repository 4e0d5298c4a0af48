import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
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

/** Runs initdb where the folder is empty; one that an earlier initdb left half done is emptied first. */
export async function initialise(options: {
  binaries: PostgresBinaries;
  data: string;
  user: OsUser | null;
  password: string;
}): Promise<void> {
  const { binaries, data, user, password } = options;
  // initdb writes PG_VERSION early, so a mark of our own says that it came to its end.
  const done = join(data, 'perpetua-ready');
  if (existsSync(done)) return;
  if (existsSync(join(data, 'PG_VERSION')) && existsSync(join(data, 'postmaster.opts')))
    throw new DataRefusedError(
      `Expected a data folder that Perpetua made, found another Postgres's in ${data}. Move it away.`,
    );
  for (const name of readdirSync(data)) await rm(join(data, name), { recursive: true });
  const passwordFile = `${data}.pw`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  try {
    if (user) await chown(passwordFile, user.uid, user.gid);
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
    throw new Error(`Expected initdb to make ${data}, it failed: ${(stderr ?? (error as Error).message).trim()}`, {
      cause: error,
    });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await writeFile(done, `${binaries.version}\n`);
}
