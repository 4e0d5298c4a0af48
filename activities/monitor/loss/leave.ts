import type { Placed } from './placed.ts';
import { release } from './release.ts';
import { removeRun } from './remove-run.ts';

/** Of a run that was lost to its machine nothing stays. */
export async function leave(of: Placed): Promise<void> {
  await release(of);
  await removeRun(of);
}
