import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireInsidePath } from '../../../files.ts';
import type { StagedFile } from '../stage.ts';

/** Path of a file inside a folder if no parent is a link, else undefined. The file itself may be a link, or absent. */
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

/**
 * True if a file of a folder equals the staged one. Compares sizes first: a run can make a sparse file of any size at
 * once, and hashing it would take minutes.
 */
export async function isUnchanged(staged: StagedFile, folder: string, path: string): Promise<boolean> {
  const file = await regularFile(folder, path);
  if (file === undefined) return false;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    // A shortage of this machine says nothing about the file.
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
