import type { MovedRun } from '../../db/queries/apply-fleet.ts';
import type { FleetHost } from '../../domain/fleet/fleet.ts';
import { computeOfHost } from '../../infra/compute/of-host.ts';
import { inParallel } from '../in-parallel.ts';
import { note, type Io } from '../io.ts';

/** Names of those hosts at whose new address the machine answers that has their runs. */
export async function sameMachines(
  io: Io,
  moved: readonly { spec: FleetHost; runs: MovedRun[] }[],
  { installation }: { installation: string },
): Promise<string[]> {
  const asked = moved.filter(({ runs }) => runs.length > 0);
  const found = await inParallel(asked, async ({ spec, runs }) => {
    const compute = computeOfHost(spec, { installation });
    try {
      return (await compute.hasAny(runs)) ? [spec.name] : [];
    } catch (error) {
      note(io, `${spec.name} at its new address: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    } finally {
      compute.close();
    }
  });
  return found.flat();
}
