import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { chmod, chown, lchown, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canReach, type OsUser } from './os-user.ts';

/** For what root's Postgres needs outside a folder that only root can enter. */
export const SHARED_ROOT = '/var/lib/perpetua';

/** The data belongs to another home, or was written by another major version; the message says the way out. */
export class DataRefusedError extends Error {
  override readonly name = 'DataRefusedError';
}

/** The uid that owns the data of `<postgres>/data`; null where there is none yet. */
export function dataOwner(postgresDir: string): number | null {
  const data = join(postgresDir, 'data');
  return existsSync(join(data, 'PG_VERSION')) ? statSync(data).uid : null;
}

export interface DataFolder {
  /** Its real path. */
  path: string;
  /** Where it was made now: a folder with older data, of a home at this path that was removed, moved, or lost its link. */
  olderFolder: string | null;
}

/**
 * The data folder, made where it is missing: `<postgres>/data`, which is a link into /var/lib/perpetua where root's home
 * cannot be entered by the user that Postgres runs as. Throws DataRefusedError.
 */
export async function dataFolder(postgresDir: string, user: OsUser | null): Promise<DataFolder> {
  const data = join(postgresDir, 'data');
  await mkdir(postgresDir, { recursive: true });
  const left = isThere(data) ? null : await makeData(data, user);
  if (!existsSync(data))
    throw new DataRefusedError(
      `Expected the data that ${data} points to, it is gone. Bring it back, or delete the link for an empty database.`,
    );
  await claim(data);
  refuseForeign(data, user);
  return { path: realpathSync(data), olderFolder: left };
}

/** Throws DataRefusedError where the data was written by another major version of Postgres. */
export function refuseOtherMajor(data: string, major: number): void {
  const wrote = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (wrote === String(major)) return;
  throw new DataRefusedError(
    `Expected data of Postgres ${major} in ${data}, found data of Postgres ${wrote}. Start the version of Perpetua ` +
      `that wrote it, save the database with pg_dump of version ${wrote}, move the folder away, start this version and load ` +
      'it with pg_restore. Or move the folder away for an empty database, or set DATABASE_URL to a Postgres of your own.',
  );
}

/** Returns the last folder of ours that has data already. */
async function makeData(data: string, user: OsUser | null): Promise<string | null> {
  if (user === null || canReach(user, dirname(data))) {
    await mkdir(data, { mode: 0o700 });
    if (user) await chown(data, user.uid, user.gid);
    return null;
  }
  const home = realpathSync(dirname(data));
  const { folder, left } = unusedFolder(home);
  await mkdir(SHARED_ROOT, { recursive: true, mode: 0o755 });
  await mkdir(join(folder, 'data'), { recursive: true, mode: 0o700 });
  await own(folder);
  await replaceFile(join(folder, 'home'), `${home}\n`);
  await lchown(join(folder, 'data'), user.uid, user.gid);
  await symlink(join(folder, 'data'), data);
  return left;
}

/** A home of the same path that was removed left its data, and took its password along; one that was moved uses it still. */
function unusedFolder(home: string): { folder: string; left: string | null } {
  const first = join(SHARED_ROOT, createHash('sha256').update(home).digest('hex').slice(0, 12));
  let [folder, left]: [string, string | null] = [first, null];
  for (let next = 2; existsSync(join(folder, 'data', 'PG_VERSION')); next += 1) {
    left = folder;
    folder = `${first}-${next}`;
  }
  return { folder, left };
}

/** Only the data is the user's that Postgres runs as: what root writes beside it, that user could lead elsewhere by a link. */
async function own(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  // First whose it is: who owned it could take the other back in between.
  await chown(folder, 0, 0);
  await chmod(folder, 0o711);
}

/** Root replaces the empty folder that a link leads to, which has to be the very user's that is to have the new one. */
function refuseForeign(data: string, user: OsUser | null): void {
  if (!user || !lstatSync(data).isSymbolicLink() || readdirSync(data).length > 0) return;
  const { uid } = statSync(data);
  if (uid === user.uid) return;
  throw new DataRefusedError(
    `Expected ${realpathSync(data)}, where ${data} leads, to belong to ${user.name} (uid ${user.uid}), as whom Postgres runs; ` +
      `it is of uid ${uid}. chown it, or let the link lead elsewhere.`,
  );
}

/** A copied home has a copied link: two of them on one data folder would be one database under two names. */
async function claim(data: string): Promise<void> {
  const folder = dirname(realpathSync(data));
  // A person may have put the data elsewhere.
  if (!lstatSync(data).isSymbolicLink() || !isSame(dirname(folder), SHARED_ROOT)) return;
  await own(folder);
  const note = join(folder, 'home');
  const home = realpathSync(dirname(data));
  const owner = existsSync(note) ? readFileSync(note, 'utf8').trim() : '';
  if (owner === home) return;
  // A home that was moved took its data along, whatever is at its old place by now: another home, or a link to the new one.
  if (owner === '' || isSame(owner, home) || !isSame(join(owner, 'data'), data)) return replaceFile(note, `${home}\n`);
  throw new DataRefusedError(
    `Expected ${data} to be this home's own, but ${realpathSync(data)} belongs to ${owner}: this home looks like a copy. ` +
      'Delete the link for an empty database, or set PERPETUA_HOME to the original.',
  );
}

/** Whether both are there and are one folder, by whatever path. */
function isSame(one: string, other: string): boolean {
  if (!existsSync(one) || !existsSync(other)) return false;
  const [a, b] = [one, other].map((path) => statSync(path, { bigint: true }));
  return a?.dev === b?.dev && a?.ino === b?.ino;
}

/** Whole or not at all, and never through a link: until now the folder may have been the user's that Postgres runs as. */
async function replaceFile(file: string, text: string): Promise<void> {
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, text, { flag: 'wx', mode: 0o600 });
  await rename(`${file}.new`, file);
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
