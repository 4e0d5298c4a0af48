import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** Reads the metadata of a path without following a link; undefined if nothing is there. Other errors are thrown. */
export async function lstatOptional(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** True if the owner of the file may execute it. */
export const isExecutable = (info: BigIntStats | undefined): boolean => ((info?.mode ?? 0n) & 0o100n) !== 0n;
