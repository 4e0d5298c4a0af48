import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { refused } from '../errors.ts';

/**
 * Makes a folder (an absolute path) and its parents, one by one. A recursive `mkdir` loops forever below /proc, where
 * the kernel reports ENOENT for an existing folder.
 */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let path = folder; !(await isFolder(path)); path = dirname(path)) missing.unshift(path);
  for (const path of missing) {
    await mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
      // Another process has made it meanwhile.
      if (error.code === 'EEXIST' && (await isFolder(path))) return;
      throw refused(`Cannot make the folder ${path} (${causeOf(error)}). Name a folder where you may write.`);
    });
  }
}

/** Cause of a system error, without the call and the path: `EACCES: permission denied`. */
const causeOf = ({ message }: Error): string => message.split(',')[0] ?? message;

/** True for a folder, false if nothing exists at the path. Refuses a file, and a path that cannot be read. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code !== 'ENOTDIR') throw refused(`Cannot read ${path} (${causeOf(error as Error)}). Name another folder.`);
  }
  throw refused(`Expected a folder, ${path} is a file or lies below one. Name another one.`);
}
