import { readFile } from 'node:fs/promises';
import { homePaths } from '../config/paths.ts';

/** Reads the host name that the workers of this home use for this machine; null if no worker ever started. */
export async function readLocalHostName(home: string): Promise<string | null> {
  try {
    return (await readFile(homePaths(home).host, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
