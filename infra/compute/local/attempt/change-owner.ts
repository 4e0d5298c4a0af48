import { chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Gives a tree of ours to a user: files and folders, links stay whose they are. */
export async function changeOwner(path: string, uid: number): Promise<void> {
  await chown(path, uid, uid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await changeOwner(child, uid);
    else if (entry.isFile()) await chown(child, uid, uid);
  }
}
