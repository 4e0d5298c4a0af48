import type { Answer, MovedRun } from '../../db/host/apply-fleet.ts';
import type { FleetHost } from '../../domain/fleet/fleet.ts';
import { computeOfHost, type Caller } from '../../infra/compute/of-host.ts';
import { inParallel } from '../in-parallel.ts';
import { note, type Io } from '../io.ts';

/** What answers at the new addresses of hosts that have runs, by their names. */
export async function askMoved(
  io: Io,
  moved: readonly { spec: FleetHost; runs: MovedRun[] }[],
  caller: Caller,
): Promise<Record<string, Answer>> {
  const asked = moved.filter(({ runs }) => runs.length > 0);
  const found = await inParallel(asked, async ({ spec, runs }): Promise<[string, Answer]> => {
    const compute = computeOfHost(spec, caller);
    try {
      return [spec.name, (await compute.hasAny(runs)) ? 'same' : 'other'];
    } catch (error) {
      note(io, `${spec.name} at its new address: ${error instanceof Error ? error.message : String(error)}`);
      return [spec.name, 'none'];
    } finally {
      compute.close();
    }
  });
  return Object.fromEntries(found);
}
