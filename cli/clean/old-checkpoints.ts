import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../db/connect.ts';
import { dropCheckpoints, findDroppable } from '../../db/learning/drop-checkpoints.ts';
import { checkpointsIn, openCheckpoints } from '../../infra/policy/checkpoints.ts';
import { removeOld } from './old-files.ts';

/** Seconds after which the writer of a file counts as dead. */
const LEAST_SECONDS = 3600;

interface Options {
  home: string;
  olderThanSeconds: number;
  dryRun: boolean;
}

/** Removes checkpoints that no research needs any more; returns their names, which are step keys. */
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

/** Time of the last change, in ms since the epoch. Null if the folder is gone: an earlier removal was interrupted. */
async function changedMs(folder: string): Promise<number | null> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Removes leftovers of dead steps beside the checkpoints, and old batches; returns their names. */
export async function removeStepLeftovers({ home, ...options }: Options): Promise<string[]> {
  const olderThanSeconds = Math.max(LEAST_SECONDS, options.olderThanSeconds);
  const limits = { ...options, olderThanSeconds };
  return [
    ...(await removeOld(checkpointsIn(home), limits, (name) => name.startsWith('.tmp-'))),
    // A batch can go: each attempt of a step writes its batch again from rows of the database.
    ...(await removeOld(join(home, 'batches'), limits, () => true)),
  ];
}
