import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../db/connect.ts';
import { dropCheckpoints, findDroppable } from '../../db/learning/drop-checkpoints.ts';
import { checkpointsIn, openCheckpoints } from '../../infra/policy/checkpoints.ts';
import { removeOld } from './old-files.ts';

/** A writer that takes longer than this for its files is dead. */
const LEAST_SECONDS = 3600;

interface Options {
  home: string;
  olderThanSeconds: number;
  dryRun: boolean;
}

/** Removes checkpoints that nobody needs any more, and what steps left that died; returns the names of the first. */
export async function removeOldCheckpoints(db: Db, { home, olderThanSeconds, dryRun }: Options): Promise<string[]> {
  const checkpoints = openCheckpoints(home);
  const before = Date.now() - olderThanSeconds * 1000;
  const stepKeys: string[] = [];
  for (const stepKey of await checkpoints.list()) {
    const changedAt = await changedMs(checkpoints.folder(stepKey));
    if (changedAt === null || changedAt <= before) stepKeys.push(stepKey);
  }
  if (stepKeys.length === 0) return [];
  const drop = dryRun ? findDroppable : dropCheckpoints;
  const names = await drop(db, { stepKeys, olderThanSeconds });
  if (!dryRun) for (const name of names) await checkpoints.remove(name);
  return names;
}

/** Null for a folder that is gone: it was half removed before. */
async function changedMs(folder: string): Promise<number | null> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Removes what dead steps have left beside checkpoints, and batches that nobody asks for again; returns their names. */
export async function removeStepLeftovers({ home, ...options }: Options): Promise<string[]> {
  const olderThanSeconds = Math.max(LEAST_SECONDS, options.olderThanSeconds);
  const of = { ...options, olderThanSeconds };
  return [
    ...(await removeOld(checkpointsIn(home), of, (name) => name.startsWith('.tmp-'))),
    // The rows that a batch is made from are there; each attempt writes it anew.
    ...(await removeOld(join(home, 'batches'), of, () => true)),
  ];
}
