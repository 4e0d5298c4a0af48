import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { asUser, type OsUser } from './os-user.ts';

/** Beside a data folder, before six letters: one that is being made. */
export const UNFINISHED = '.initdb-';
const REMOVED = '.removed';
const OURS = /^\.initdb-[A-Za-z0-9]{6}(\.removed|\.pw)?$/;
const TRIES = 20;
const PAUSE_MS = 100;

/** Removes what starts that were killed left beside a data folder. */
export async function clearUnfinished(data: string, user: OsUser | null): Promise<void> {
  const [parent, prefix] = [dirname(data), basename(data)];
  const isOurs = (name: string): boolean => name.startsWith(prefix) && OURS.test(name.slice(prefix.length));
  for (const name of readdirSync(parent).filter(isOurs)) {
    const path = join(parent, name);
    if (name.endsWith('.pw')) await rm(path, { force: true });
    else await removeAs(user, path.endsWith(REMOVED) ? path : await setAside(path));
  }
}

/** One that somebody makes at this moment must not take its place with half of it gone. */
async function setAside(path: string): Promise<string> {
  const aside = `${path}${REMOVED}`;
  await rename(path, aside).catch((error: NodeJS.ErrnoException) => {
    // It has taken its place, or another start was first.
    if (error.code !== 'ENOENT') throw error;
  });
  return aside;
}

/**
 * Removes a folder with what that user put in it, as that user: root would follow where it leads. Its initdb may still write
 * in it, and ends for want of its folder.
 */
export async function removeAs(user: OsUser | null, folder: string): Promise<void> {
  for (let tries = 1; existsSync(folder); tries += 1) {
    // The folder itself may lie where only we can remove it.
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
