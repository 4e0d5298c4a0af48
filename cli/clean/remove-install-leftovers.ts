import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Trainer } from '../../domain/learning/trainer.ts';
import { listNames } from '../../infra/files.ts';
import { acquireLock, LockHeldError } from '../../infra/process/lock.ts';
import { removeOld } from './old-files.ts';

/** pip has five minutes for what it puts there. */
const LEAST_SECONDS = 3600;

/** Removes what a `trainer install` left that was killed; returns the names. One that is at work keeps its own. */
export async function removeInstallLeftovers(
  { cache }: Pick<Trainer, 'cache'>,
  options: { olderThanSeconds: number; dryRun: boolean },
): Promise<string[]> {
  const olderThanSeconds = Math.max(LEAST_SECONDS, options.olderThanSeconds);
  const ofUv = await removeOld(cache, { ...options, olderThanSeconds }, (name) => /^uv\.[A-Za-z0-9]{6}$/.test(name));
  const parts = (await listNames(cache)).filter((name) => /^[0-9a-f]{16}\.part$/.test(name));
  const left: string[] = [];
  for (const name of parts) if (await removePart(join(cache, name), options)) left.push(name);
  return [...ofUv, ...left].sort();
}

/** An environment that is half built; false where somebody builds it. */
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
