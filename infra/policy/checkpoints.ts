import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listNames } from '../files.ts';
import type { Checkpoints } from '../policy.ts';

/** Prefix of a checkpoint that is being removed, which nothing uses any more. */
const REMOVING = '.old-';

/** Checkpoints in a home. */
export function openCheckpoints(home: string): Checkpoints {
  const all = checkpointsIn(home);
  const folder = (stepKey: string): string => join(all, stepKey);
  return {
    folder,
    list: async () => {
      const keys = (await listNames(all)).flatMap((name) => NAME.exec(name)?.[1] ?? []);
      return [...new Set(keys)].sort();
    },
    bytes: async (path) => {
      const sizes = (await listNames(path)).map(async (name) => (await stat(join(path, name))).size);
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    },
    remove: async (stepKey) => {
      const aside = join(all, `${REMOVING}${stepKey}`);
      // A process that died during a removal may have left this folder.
      await rm(aside, { recursive: true, force: true });
      await rename(folder(stepKey), aside).catch(unlessMissing);
      await rm(aside, { recursive: true, force: true });
    },
  };
}

/** The folder of all checkpoints of a home. */
export const checkpointsIn = (home: string): string => join(home, 'checkpoints');

/** Name of a checkpoint, or of one whose removal a dead process left unfinished. */
const NAME = /^(?:\.old-)?([0-9a-f]{64})$/;

function unlessMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
