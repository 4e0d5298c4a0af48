import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { isThere } from './files.ts';

const MIB = 1024 * 1024;

/** MiB that are free on the disk of a folder. */
export async function freeMbAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return (bavail * bsize) / MIB;
}

export const isBallastThere = (path: string): Promise<boolean> => isThere(path);

/** Removes what a maker that died has left: it takes room, and is of no use. */
export const dropUnfinished = (path: string): Promise<void> => rm(partOf(path), { force: true });

/** Makes a file of real blocks, by rename; what a maker that died has left is made anew. */
export async function makeBallast(path: string, sizeMb: number, signal?: AbortSignal): Promise<void> {
  const part = partOf(path);
  await rm(part, { force: true });
  try {
    await reserve(part, sizeMb, signal);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Removes it; returns whether there was one. */
export async function giveUpBallast(path: string): Promise<boolean> {
  const wasThere = await isBallastThere(path);
  for (const file of [path, partOf(path)]) await rm(file, { force: true });
  return wasThere;
}

const partOf = (path: string): string => `${path}.part`;

/** In no time where system and disk can do that; else written, as what no disk makes smaller. */
async function reserve(path: string, sizeMb: number, signal?: AbortSignal): Promise<void> {
  const asked = promisify(execFile)('fallocate', ['-l', String(sizeMb * MIB), path], { cwd: dirname(path) });
  if (
    await asked.then(
      () => true,
      () => false,
    )
  )
    return;
  const file = await open(path, 'w', 0o600);
  try {
    for (let written = 0; written < sizeMb; written += 1) {
      signal?.throwIfAborted();
      await file.writeFile(randomBytes(MIB));
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
