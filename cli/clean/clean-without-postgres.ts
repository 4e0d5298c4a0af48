import { statfs } from 'node:fs/promises';
import { homePaths } from '../../config/paths.ts';
import { plural } from '../../domain/text/plural.ts';
import { LEAST_FREE_BYTES } from '../../domain/fault/disk-space.ts';
import { errorChain, errorCode } from '../../db/postgres-unreachable.ts';
import { CliError, toCliError } from '../errors.ts';
import { removeOldLogs } from './old-files.ts';

/** SQLSTATE of a Postgres that has no room left. */
const DISK_FULL = '53100';
const LEAST_MB = LEAST_FREE_BYTES / 1024 / 1024;

/**
 * Makes the final error of a `clean` that cannot read Postgres. If the disk is nearly full, which may be the cause, it
 * first removes rotated logs, and the error says what to do next.
 */
export async function cleanWithoutPostgres(
  error: unknown,
  options: { home: string; olderThanSeconds: number; dryRun: boolean },
  freeMb = freeMbAt,
): Promise<CliError> {
  const original = toCliError(error);
  const isFull = errorChain(error).some((cause) => errorCode(cause) === DISK_FULL);
  if (original.code !== 'unreachable' && !isFull) return original;
  const { home, dryRun } = options;
  const before = await freeMb(home).catch(() => Infinity);
  if (before >= LEAST_MB) return original;
  const { runs } = homePaths(home);
  const logs = await removeOldLogs(options);
  const sentences = [original.message, `The disk has ${Math.floor(before)} MiB free, which may be why.`];
  if (logs.length > 0) sentences.push(`${dryRun ? 'Would remove' : 'Removed'} ${plural(logs.length, 'rotated log')}.`);
  sentences.push(
    'Only Postgres has the list of needed runs. Start it (npx perpetua up) and clean again. ' +
      `If it lacks room to start, remove the largest folders of ${runs} first (du -sh ${runs}/*/*): ` +
      'their trials will run again.',
  );
  return new CliError('unreachable', sentences.join(' '), { cause: error, result: { dryRun, logs } });
}

async function freeMbAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return (bavail * bsize) / 1024 / 1024;
}
