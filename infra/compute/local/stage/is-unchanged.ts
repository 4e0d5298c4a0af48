import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireInsidePath } from '../../../files.ts';
import type { StagedFile } from '../stage.ts';

/** The real path of a regular file inside a folder, reached without any link; undefined for everything else. */
export async function regularFile(folder: string, path: string): Promise<string | undefined> {
  const file = join(folder, requireInsidePath(path));
  try {
    return (await realpath(dirname(file))) === dirname(join(await realpath(folder), path)) ? file : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}

/** True if a file of a folder is what was staged. By size first: a run makes a file of any size in no time, and to hash it would take us minutes. */
export async function isUnchanged(staged: StagedFile, folder: string, path: string): Promise<boolean> {
  const file = await regularFile(folder, path);
  if (file === undefined) return false;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    // What this machine lacks is no doing of the run.
    if (['EMFILE', 'ENFILE', 'ENOMEM', 'EIO'].includes(error.code ?? '')) throw error;
    return undefined;
  });
  if (!handle) return false;
  try {
    const info = await handle.stat();
    if (!info.isFile() || info.size !== staged.size) return false;
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return hash.digest('hex') === staged.hash;
  } finally {
    await handle.close();
  }
}
