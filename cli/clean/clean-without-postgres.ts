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
 * The error of a clean that cannot ask Postgres. Where the disk is full that may be why: what nobody can need is removed
 * first, and the error says what to do.
 */
export async function cleanWithoutPostgres(
  error: unknown,
  options: { home: string; olderThanSeconds: number; dryRun: boolean },
  freeMb = freeMbAt,
): Promise<CliError> {
  const told = toCliError(error);
  const isFull = errorChain(error).some((cause) => errorCode(cause) === DISK_FULL);
  if (told.code !== 'unreachable' && !isFull) return told;
  const { home, dryRun } = options;
  const before = await freeMb(home).catch(() => Infinity);
  if (before >= LEAST_MB) return told;
  const { runs } = homePaths(home);
  const logs = await removeOldLogs(options);
  const words = [
    told.message,
    `The disk has ${Math.floor(before)} MiB free, which may be why.`,
    ...(logs.length > 0 ? [`${dryRun ? 'Would remove' : 'Removed'} ${plural(logs.length, 'rotated log')}.`] : []),
    `Only Postgres knows which runs are needed. Start it (npx perpetua up) and clean again. If it does not start for lack of room, remove the largest folders of ${runs} first (du -sh ${runs}/*/*); their trials are placed once more.`,
  ];
  return new CliError('unreachable', words.join(' '), { cause: error, result: { dryRun, logs } });
}

async function freeMbAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return (bavail * bsize) / 1024 / 1024;
}
