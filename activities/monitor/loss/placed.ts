import type { Run } from '../../../db/run/run.ts';
import type { Watch } from '../follow-run.ts';

/** A run on its host. */
export type Placed = Pick<Watch, 'deps' | 'compute' | 'key'> & { run: Run };

export const placedOf = (deps: Placed['deps'], run: Run): Placed => ({
  deps,
  run,
  key: { trialId: run.trialId, placement: run.placement },
  // A host that is no longer in the fleet is not needed to free its slot.
  get compute() {
    return deps.hosts.computeOf(run.host);
  },
});
