import type { KillPoint } from '../../activities/deps.ts';
import { clockProblem } from '../../domain/fleet/clock.ts';
import { lendableSlots } from '../../domain/fleet/lendable-slots.ts';
import { gpusSeenBy } from '../../domain/fleet/slots.ts';
import type { HostRow } from '../../db/host/fleet.ts';
import type { ProbeMark } from '../../db/host/host-probes.ts';
import type { RunLeftover } from '../../db/run/run-leftovers.ts';
import type { Store } from '../../db/store.ts';
import { HostError, HostUnreachableError, type RunRef } from '../../infra/compute.ts';
import type { SshCompute } from '../../infra/compute/ssh.ts';
import type { Machine } from '../../infra/compute/ssh/machine/machine.ts';

/** Run directories that are removed before a host that is back serves again: more would delay it for long. */
const REMOVED_FIRST = 50;
/** Largest tolerated offset of a host's clock: runs report times by it, which are hard to compare if it is larger. */
const CLOCK_SECONDS = 60;

/** Dependencies of a probe. */
interface ProbeDeps {
  store: Store;
  compute: SshCompute;
  reach: (point: KillPoint) => void;
}

/** Probes a host: ends what its absence left running there, and lends its slots. Throws if the host fails. */
export async function probeHost(
  { store, compute, reach }: ProbeDeps,
  host: HostRow & { mark?: ProbeMark },
): Promise<void> {
  const { name, poolSpec, spec, mark } = host;
  // Orphans end first, so that they hold no GPU when the machine is read.
  const stay = await endOrphans({ store, compute, reach }, host);
  await compute.requireReadable();
  // Leases are read before and after the machine: a run may begin or end meanwhile.
  const before = await store.slot.findGpusLent(name);
  const machine = await withoutLeftovers(compute);
  const ownGpus = [...before, ...(await store.slot.findGpusLent(name))];
  const gpusSeen = gpusSeenBy(host.facts, machine.gpus);
  const elsewhere = await store.slot.findGpusElsewhere(name);
  const { slots, problem, note } = lendableSlots(
    { pool: poolSpec, host: spec, ownGpus },
    { ...machine, gpusSeen, elsewhere },
  );
  if (problem !== null) {
    await store.host.noteHostFailure({ name, message: problem });
    return;
  }
  // If the probe dies from here on, before or after the host serves, the next probe does the rest.
  const since = leftSince(host);
  const leftovers = since === null ? [] : await store.run.findLeftoversOn({ host: name, since });
  const [first, others] = [leftovers.slice(0, REMOVED_FIRST), leftovers.slice(REMOVED_FIRST)];
  stay.push(...(await removeLeftovers(compute, first)));
  const { cpu, cores, memoryMb, gpus } = machine;
  const facts = { ...(cpu !== undefined && { cpu }), cores, memoryMb, gpus, gpusSeen };
  const clockNote = clockProblem(machine.clockAhead, CLOCK_SECONDS);
  const notes = [note, clockNote].filter((text) => text !== null).join('; ');
  const probe = { host, facts, slots, note: notes || null, leftSince: others.length > 0 ? since : null };
  await store.host.recordGoodProbe(mark ? { ...probe, mark } : probe);
  if (others.length > 0) {
    stay.push(...(await removeLeftovers(compute, others)));
    await store.host.noteLeftoversRemoved(name);
  }
  if (stay.length > 0)
    await store.host.noteOnHost({ name, note: `run directories that could not be removed: ${stay.join(', ')}` });
}

/** Start of the absence that may have left run directories on a host; null if there was none. */
const leftSince = (host: HostRow): Date | null =>
  host.leftSince ?? (host.quarantinedUntil === null ? null : (host.seenAt ?? new Date(0)));

/**
 * Removes directories of runs whose jobs ended while the host was away. Returns the directories that it cannot remove,
 * with reasons.
 */
async function removeLeftovers(compute: SshCompute, leftovers: readonly RunLeftover[]): Promise<string[]> {
  const stay: string[] = [];
  for (const run of leftovers)
    await compute.remove(run).catch((error: unknown) => {
      if (error instanceof HostUnreachableError) throw error;
      stay.push(reasonToStay(run, error));
    });
  return stay;
}

const reasonToStay = ({ jobId }: RunRef, error: unknown): string =>
  `${jobId}: ${error instanceof Error ? error.message : String(error)}`;

/** Machine facts, read after leftovers of ended runs on its GPUs were killed. */
async function withoutLeftovers(compute: SshCompute): Promise<Machine> {
  const machine = await compute.machine();
  const leftovers = machine.uses.filter(({ whose }) => whose === 'left');
  if (leftovers.length === 0) return machine;
  await compute.killGpuLeftovers({ boot: machine.boot, uses: leftovers });
  return compute.machine();
}

/** Ends runs whose trials continued elsewhere, before anything is placed beside them; returns directories that stay. */
async function endOrphans(
  { store, compute, reach }: ProbeDeps,
  { name, mark }: HostRow & { mark?: ProbeMark },
): Promise<string[]> {
  const stay: string[] = [];
  for (const { jobId, placement, fence } of await store.run.findOrphans(name)) {
    const run = { jobId, placement };
    await compute.kill(run, fence);
    reach('orphan-killed');
    await compute.remove(run).catch((error: unknown) => {
      // A process started in the directory meanwhile: the row stays open, and the next probe ends the process.
      if (error instanceof HostUnreachableError || !(error instanceof HostError)) throw error;
      stay.push(reasonToStay(run, error));
    });
    reach('orphan-removed');
    await store.run.closeOrphan({ ...run, host: name, mark });
  }
  return stay;
}
