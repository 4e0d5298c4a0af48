import { log } from '@temporalio/activity';
import type { Placed } from './placed.ts';

/** What filled a disk may be the run's own. What cannot be removed now is once it has expired. */
export async function removeRun<T extends Placed>(
  of: T,
  { where = () => Promise.resolve(true) }: { where?: (of: T) => Promise<boolean> } = {},
): Promise<void> {
  const { key, run } = of;
  try {
    if (await where(of)) await of.compute.remove(key);
  } catch (error) {
    log.warn('a run directory could not be removed', { ...key, host: run.host, error: String(error) });
  }
}
