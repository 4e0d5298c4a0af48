import type { MovedHostMatch, MovedRun } from '../../db/host/apply-fleet.ts';
import type { FleetHost } from '../../domain/fleet/fleet.ts';
import { computeOfHost, type HostClient } from '../../infra/compute/compute-of-host.ts';
import { inParallel } from '../in-parallel.ts';
import { printNote, type Io } from '../io.ts';

/** Probes the new addresses of moved hosts that have runs. Returns by name if the same machine answers there. */
export async function probeMovedHosts(
  io: Io,
  moved: readonly { spec: FleetHost; runs: MovedRun[] }[],
  caller: HostClient,
): Promise<Record<string, MovedHostMatch>> {
  const withRuns = moved.filter(({ runs }) => runs.length > 0);
  const found = await inParallel(withRuns, async ({ spec, runs }): Promise<[string, MovedHostMatch]> => {
    const compute = computeOfHost(spec, caller);
    try {
      return [spec.name, (await compute.hasAnyRun(runs)) ? 'same' : 'other'];
    } catch (error) {
      printNote(io, `${spec.name} at its new address: ${error instanceof Error ? error.message : String(error)}`);
      return [spec.name, 'none'];
    } finally {
      compute.close();
    }
  });
  return Object.fromEntries(found);
}
