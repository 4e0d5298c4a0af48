import { chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Changes the owner of the files and folders in a tree to a user; links keep theirs. */
export async function changeOwner(path: string, uid: number): Promise<void> {
  await chown(path, uid, uid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await changeOwner(child, uid);
    else if (entry.isFile()) await chown(child, uid, uid);
  }
}
