import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** What lies at a path, be it a link; undefined where nothing is. What this machine could not say is no damage. */
export async function lstatOptional(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Whether its owner may execute it. */
export const isExecutable = (info: BigIntStats | undefined): boolean => ((info?.mode ?? 0n) & 0o100n) !== 0n;
