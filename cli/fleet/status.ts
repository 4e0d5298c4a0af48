import { say, sayJson, type Io } from '../io.ts';

/** Hosts, slots, what runs, since when, health and last error. */
export async function status(io: Io, { json }: { json?: boolean }): Promise<void> {
  const [{ withDb }, { readFleetStatus }, { fleetJson, renderFleetStatus }] = await Promise.all([
    import('../context.ts'),
    import('../../db/reads/fleet/read-fleet.ts'),
    import('../render/fleet-status.ts'),
  ]);
  const hosts = await withDb(io, readFleetStatus);
  if (json) return sayJson(io, fleetJson(hosts));
  for (const line of renderFleetStatus(hosts)) say(io, line);
}
