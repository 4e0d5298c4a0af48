import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { chmod, chown, lchown, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openFolder } from '../make-open-folder.ts';
import { canPass, canReach, type OsUser } from './os-user.ts';

/** Folder for data and programs of a root's Postgres, whose user cannot enter a home of root. */
export const SHARED_ROOT = '/var/lib/perpetua';

/** Folder for a copy of the programs: a user that root runs Postgres as cannot enter every home. */
export const copiesFolder = (user: OsUser | null, home: string): string =>
  user === null ? join(home, 'bin') : SHARED_ROOT;

/** The data belongs to another home, or another major version wrote it; the message says what to do. */
export class DataRefusedError extends Error {
  override readonly name = 'DataRefusedError';
}

/** Uid of the owner of the data in `<postgres>/data`; null if there is no data yet. */
export function dataOwner(postgresDir: string): number | null {
  const data = join(postgresDir, 'data');
  return existsSync(join(data, 'PG_VERSION')) ? statSync(data).uid : null;
}

export interface DataFolder {
  /** Real path of the folder. */
  path: string;
  /** Set for a new folder: the folder with the data of an earlier home at this path (removed, moved, or link lost). */
  olderFolder: string | null;
}

/**
 * Returns the data folder `<postgres>/data`, made if missing. If the user of Postgres cannot enter root's home, it is a
 * link into /var/lib/perpetua. Throws DataRefusedError.
 */
export async function dataFolder(postgresDir: string, user: OsUser | null): Promise<DataFolder> {
  const data = join(postgresDir, 'data');
  await mkdir(postgresDir, { recursive: true });
  const olderFolder = isThere(data) ? null : await makeData(data, user);
  if (!existsSync(data))
    throw new DataRefusedError(
      `Expected the data that ${data} links to; it is gone. Restore it, or delete the link for an empty database.`,
    );
  await claim(data);
  refuseForeign(data, user);
  requireReachable(realpathSync(data), user);
  return { path: realpathSync(data), olderFolder };
}

/** Throws DataRefusedError if another major version of Postgres wrote the data. */
export function refuseOtherMajor(data: string, major: number): void {
  const wrote = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (wrote === String(major)) return;
  throw new DataRefusedError(
    `Expected data of Postgres ${major} in ${data}, found data of Postgres ${wrote}. To keep the data:\n` +
      '1. Start the version of Perpetua that wrote it.\n' +
      `2. Save the database with pg_dump of version ${wrote}, and stop that version.\n` +
      `3. Move ${data} away.\n` +
      '4. Start this version, and load the database with pg_restore.\n' +
      'For an empty database, only move the folder away. Or set DATABASE_URL to a Postgres of your own.',
  );
}

/** Makes the data folder; returns the last folder in SHARED_ROOT with data of an earlier home at this path. */
async function makeData(data: string, user: OsUser | null): Promise<string | null> {
  if (user === null || canReach(user, dirname(data))) {
    await mkdir(data, { mode: 0o700 });
    if (user) await chown(data, user.uid, user.gid);
    return null;
  }
  const home = realpathSync(dirname(data));
  const { folder, olderFolder } = unusedFolder(home);
  openFolder(SHARED_ROOT, 0o755);
  await mkdir(join(folder, 'data'), { recursive: true, mode: 0o700 });
  await takeOwnership(folder);
  await replaceFile(join(folder, 'home'), `${home}\n`);
  await lchown(join(folder, 'data'), user.uid, user.gid);
  await symlink(join(folder, 'data'), data);
  return olderFolder;
}

/**
 * Finds the first folder for a home without data. A removed home of the same path left data whose password is lost, and
 * a moved home still uses its data.
 */
function unusedFolder(home: string): { folder: string; olderFolder: string | null } {
  const first = join(SHARED_ROOT, createHash('sha256').update(home).digest('hex').slice(0, 12));
  let folder = first;
  let olderFolder: string | null = null;
  for (let next = 2; existsSync(join(folder, 'data', 'PG_VERSION')); next += 1) {
    olderFolder = folder;
    folder = `${first}-${next}`;
  }
  return { folder, olderFolder };
}

/** Gives a folder to root; only `data` in it belongs to the user of Postgres, who could else redirect root's writes. */
async function takeOwnership(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  // The owner comes first: an owner could undo a change of the mode.
  await chown(folder, 0, 0);
  await chmod(folder, 0o711);
}

/** Refuses a link to an empty folder of another user: root replaces that folder, so its owner must be the new owner. */
function refuseForeign(data: string, user: OsUser | null): void {
  if (!user || !lstatSync(data).isSymbolicLink() || readdirSync(data).length > 0) return;
  const { uid } = statSync(data);
  if (uid === user.uid) return;
  throw new DataRefusedError(
    `Expected ${realpathSync(data)}, the target of ${data}, to belong to ${user.name} (uid ${user.uid}), ` +
      `the user of Postgres; it belongs to uid ${uid}. Run chown on it, or point the link elsewhere.`,
  );
}

/** Refuses a folder that the user of Postgres cannot enter, and names the folder above it that is closed. */
function requireReachable(data: string, user: OsUser | null): void {
  if (!user || canReach(user, data)) return;
  const closed = foldersAbove(data).find((folder) => !canPass(user, folder)) ?? data;
  throw new DataRefusedError(
    `Expected ${user.name}, the user of Postgres, to be able to enter ${data}; ${closed} is closed to that user. ` +
      `Run chmod o+x ${closed}, or set DATABASE_URL to a Postgres of your own.`,
  );
}

/** The folders above a path, the root first. */
function foldersAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...foldersAbove(parent), parent];
}

/** Claims the data for this home. A copied home has a copy of the link, and two homes must not share one database. */
async function claim(data: string): Promise<void> {
  const folder = dirname(realpathSync(data));
  // A person may have moved the data elsewhere.
  if (!lstatSync(data).isSymbolicLink() || !isSame(dirname(folder), SHARED_ROOT)) return;
  openFolder(SHARED_ROOT, 0o755);
  await takeOwnership(folder);
  const note = join(folder, 'home');
  const home = realpathSync(dirname(data));
  const owner = existsSync(note) ? readFileSync(note, 'utf8').trim() : '';
  if (owner === home) return;
  // A moved home keeps its data, even if its old path is now another home, or a link to the new one.
  if (owner === '' || isSame(owner, home) || !isSame(join(owner, 'data'), data)) return replaceFile(note, `${home}\n`);
  throw new DataRefusedError(
    `Expected ${data} to lead to data of this home, but ${realpathSync(data)} belongs to ${owner}: ` +
      'this home looks like a copy. ' +
      'Delete the link for an empty database, or set PERPETUA_HOME to the original.',
  );
}

/** True if both paths exist and lead to one folder. */
function isSame(one: string, other: string): boolean {
  if (!existsSync(one) || !existsSync(other)) return false;
  const [a, b] = [one, other].map((path) => statSync(path, { bigint: true }));
  return a?.dev === b?.dev && a?.ino === b?.ino;
}

/** Replaces a file atomically and never through a link: the user of Postgres may have owned the folder before. */
async function replaceFile(file: string, text: string): Promise<void> {
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, text, { flag: 'wx', mode: 0o600 });
  await rename(`${file}.new`, file);
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
