import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { refused } from '../errors.ts';

/**
 * Makes a folder (an absolute path) and those above it, one by one: a recursive `mkdir` never ends where the kernel
 * says that a folder of its own is not there, as below /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let at = folder; !(await isFolder(at)); at = dirname(at)) missing.unshift(at);
  for (const at of missing) {
    await mkdir(at).catch(async (error: NodeJS.ErrnoException) => {
      // Somebody else was faster.
      if (error.code === 'EEXIST' && (await isFolder(at))) return;
      throw refused(
        `Expected a place where folders can be made, cannot make ${at}: ${error.message}. Name another one.`,
      );
    });
  }
}

/** False where nothing is; refuses a file, and what cannot be looked at. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code !== 'ENOTDIR') throw refused(`Expected a folder that can be made at ${path}: ${message}`);
  }
  throw refused(`Expected a folder, ${path} is a file or lies below one. Name another one.`);
}
