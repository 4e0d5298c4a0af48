import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listNames } from '../files.ts';
import type { Checkpoints } from '../policy.ts';

/** Before the name of one that is being removed: it is nobody's from then on. */
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
    bytes: async (of) => {
      const sizes = (await listNames(of)).map(async (name) => (await stat(join(of, name))).size);
      return (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
    },
    remove: async (stepKey) => {
      const aside = join(all, `${REMOVING}${stepKey}`);
      // Of one that died here before.
      await rm(aside, { recursive: true, force: true });
      await rename(folder(stepKey), aside).catch(unlessMissing);
      await rm(aside, { recursive: true, force: true });
    },
  };
}

/** The folder of all checkpoints of a home. */
export const checkpointsIn = (home: string): string => join(home, 'checkpoints');

/** Of a checkpoint, also of one that a dead process has left half removed. */
const NAME = /^(?:\.old-)?([0-9a-f]{64})$/;

function unlessMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
