import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { asUser, type OsUser } from './os-user.ts';

/** Suffix of a folder beside the data folder in which initdb runs; six random letters follow. */
export const UNFINISHED = '.initdb-';
const REMOVED = '.removed';
const OURS = /^\.initdb-[A-Za-z0-9]{6}(\.removed|\.pw)?$/;
const TRIES = 20;
const PAUSE_MS = 100;

/** Removes the unfinished folders that killed starts left beside a data folder. */
export async function clearUnfinished(data: string, user: OsUser | null): Promise<void> {
  const [parent, prefix] = [dirname(data), basename(data)];
  const isOurs = (name: string): boolean => name.startsWith(prefix) && OURS.test(name.slice(prefix.length));
  for (const name of readdirSync(parent).filter(isOurs)) {
    const path = join(parent, name);
    if (name.endsWith('.pw')) await rm(path, { force: true });
    else await removeAs(user, path.endsWith(REMOVED) ? path : await setAside(path));
  }
}

/** Renames an unfinished folder before its removal: a concurrent start must not move a half-removed one into place. */
async function setAside(path: string): Promise<string> {
  const aside = `${path}${REMOVED}`;
  await rename(path, aside).catch((error: NodeJS.ErrnoException) => {
    // The folder became the data folder, or another start renamed it first.
    if (error.code !== 'ENOENT') throw error;
  });
  return aside;
}

/**
 * Removes a folder of a user as that user, since a link could lead root elsewhere. The initdb of a killed start may
 * still write into the folder; it fails when the folder is gone.
 */
export async function removeAs(user: OsUser | null, folder: string): Promise<void> {
  for (let tries = 1; existsSync(folder); tries += 1) {
    // The user may lack the right to remove the folder from its parent, so the current user does that.
    await promisify(execFile)('rm', ['-rf', '--', folder], asUser(user)).catch(() => undefined);
    try {
      return await rmdir(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      if (tries === TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
