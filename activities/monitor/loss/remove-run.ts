import { log } from '@temporalio/activity';
import { hostFull } from '../../host/disk-full.ts';
import type { Placed } from './placed.ts';

/** Removes what a run left on its host. If that fails, the directory is removed once it has expired. */
export const removeRun = (of: Placed): Promise<void> => removing(of, () => of.compute.remove(of.key));

/** The same if the disk of the host is full. Else the files of a lost run stay: only they tell a person why it was lost. */
export const removeIfFull = (of: Placed): Promise<void> =>
  removing(of, async () => {
    if ((await hostFull(of.deps, of.run.host)) !== null) await of.compute.remove(of.key);
  });

async function removing({ key, run: { host } }: Pick<Placed, 'key' | 'run'>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn('a run directory could not be removed', { ...key, host, error: String(error) });
  }
}
