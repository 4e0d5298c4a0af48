import { printLine, printJson, type Io } from '../io.ts';
import { withDb } from '../context.ts';
import { readFleetStatus } from '../../db/reads/fleet/read-fleet.ts';
import { fleetJson, renderFleetStatus } from '../render/fleet-status.ts';

/** Prints the hosts of the fleet with their slots, running trials, health and last error. */
export async function printFleetStatus(io: Io, { json }: { json?: boolean }): Promise<void> {
  const hosts = await withDb(io, readFleetStatus);
  if (json) return printJson(io, fleetJson(hosts));
  for (const line of renderFleetStatus(hosts)) printLine(io, line);
}
