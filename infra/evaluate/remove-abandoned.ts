import { readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, readOwner } from '../compute/local/attempt/owner.ts';
import { foldersIn } from '../compute/local/evaluator-sandbox.ts';
import { killControl } from '../compute/local/kill.ts';
import { listNames, pathExists } from '../files.ts';
import { removeTree } from '../remove-tree.ts';

/** File of an evaluation's directory that names the process which made it. */
export const OWNER = 'owner';
/** Age in ms from which on a directory is removed if its process is not known. */
const STALE_MS = 24 * 3600 * 1000;

/** Ends and removes the evaluations of killed workers and commands. */
export async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await listNames(parent)) {
    const directory = join(parent, name);
    if (!(await isAbandoned(directory))) continue;
    // The next evaluation tries again. One that does not end must not keep others from beginning.
    await endAndRemove(directory).catch(() => undefined);
  }
}

async function endAndRemove(directory: string): Promise<void> {
  const { control } = foldersIn(directory);
  if (await pathExists(join(control, 'spec'))) await killControl(control);
  await removeTree(directory);
}

async function isAbandoned(directory: string): Promise<boolean> {
  const owner = await readOwner(join(directory, OWNER));
  // A process of another container with this home is not visible here.
  if (owner?.rest[0] === (await readlink('/proc/self/ns/pid').catch(() => ''))) return !(await isAlive(owner));
  const info = await stat(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return info !== undefined && Date.now() - info.mtimeMs > STALE_MS;
}
