import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listNames } from '../../infra/files.ts';
import { acquireLock, LockHeldError } from '../../infra/process/lock.ts';
import { removeOld } from './old-files.ts';

/** Least age of uv's temporary folders that are removed: pip has only five minutes to fill one. */
const LEAST_SECONDS = 3600;

/**
 * Removes leftovers of killed installations of the trainer, of the optimizer or of a coding agent from their cache;
 * returns their names. A running installation keeps its files.
 */
export async function removeInstallLeftovers(
  cache: string,
  options: { olderThanSeconds: number; dryRun: boolean },
): Promise<string[]> {
  const olderThanSeconds = Math.max(LEAST_SECONDS, options.olderThanSeconds);
  const ofUv = await removeOld(cache, { ...options, olderThanSeconds }, (name) => /^uv\.[A-Za-z0-9]{6}$/.test(name));
  const parts = (await listNames(cache)).filter((name) => /^([a-z][a-z-]*-)?[0-9a-f]{16}\.part$/.test(name));
  const removedParts: string[] = [];
  for (const name of parts) if (await removePart(join(cache, name), options)) removedParts.push(name);
  return [...ofUv, ...removedParts].sort();
}

/** Removes a half-built environment. Returns false if another process is building it, and so holds its lock. */
async function removePart(path: string, { dryRun }: { dryRun: boolean }): Promise<boolean> {
  const release = takeLock(path.replace(/\.part$/, '.lock'));
  if (release === null) return false;
  try {
    if (!dryRun) await rm(path, { recursive: true, force: true });
    return true;
  } finally {
    release();
  }
}

function takeLock(path: string): (() => void) | null {
  try {
    return acquireLock(path);
  } catch (error) {
    if (error instanceof LockHeldError) return null;
    throw error;
  }
}
