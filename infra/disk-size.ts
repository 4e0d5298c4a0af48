import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * What the disk that a folder lies on, or will once it is made, has for us in all, in MiB; null where its file system does
 * not say.
 */
export async function diskSizeMb(folder: string): Promise<number | null> {
  const { blocks, bfree, bavail, bsize } = await statfs(nearest(folder));
  // What is kept for root is never free.
  const size = Math.floor(((blocks - bfree + bavail) * bsize) / 1024 / 1024);
  return size > 0 ? size : null;
}

const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)));
