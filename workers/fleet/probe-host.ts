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

/** Run directories that a host which is back waits for: with more it would serve nobody for long. */
const REMOVED_FIRST = 50;
/** What runs on a host says its times: with more they are hard to read beside ours. */
const CLOCK_SECONDS = 60;

/** What a look works with. */
interface At {
  store: Store;
  compute: SshCompute;
  reach: (point: KillPoint) => void;
}

/** Looks at a host: ends what was left running there while it was away, and lends what it has. Throws where it fails. */
export async function probeHost({ store, compute, reach }: At, host: HostRow & { mark?: ProbeMark }): Promise<void> {
  const { name, poolSpec, spec, mark } = host;
  // What is ended holds no GPU when the machine is asked.
  const stay = await endOrphans({ store, compute, reach }, host);
  await compute.requireReadable();
  // Before and after that: a run may begin or end meanwhile.
  const before = await store.slot.findGpusLent(name);
  const machine = await withoutLeftovers(compute);
  const lent = [...before, ...(await store.slot.findGpusLent(name))];
  const gpusSeen = gpusSeenBy(host.facts, machine.gpus);
  const elsewhere = await store.slot.findGpusElsewhere(name);
  const { slots, problem, note } = lendableSlots(
    { pool: poolSpec, host: spec, lent },
    { ...machine, gpusSeen, elsewhere },
  );
  if (problem !== null) {
    await store.host.noteHostFailure({ name, message: problem });
    return;
  }
  // A look that dies in it, before the host is well or after that, leaves the rest to the next one.
  const since = leftSince(host);
  const left = since === null ? [] : await store.run.findLeftoversOn({ host: name, since });
  const [first, others] = [left.slice(0, REMOVED_FIRST), left.slice(REMOVED_FIRST)];
  stay.push(...(await removeLeft(compute, first)));
  const facts = { cores: machine.cores, memoryMb: machine.memoryMb, gpus: machine.gpus, gpusSeen };
  const told = [note, clockProblem(machine.clockAhead, CLOCK_SECONDS)].filter((one) => one !== null).join('; ');
  const stillLeft = others.length > 0 ? since : null;
  await store.host.recordGoodProbe({
    host,
    ...(mark ? { mark } : {}),
    facts,
    slots,
    note: told || null,
    leftSince: stillLeft,
  });
  if (others.length > 0) {
    stay.push(...(await removeLeft(compute, others)));
    await store.host.noteLeftoversRemoved(name);
  }
  if (stay.length > 0)
    await store.host.noteOnHost({ name, note: `run directories that could not be removed: ${stay.join(', ')}` });
}

/** Since when there may be something left on a host that is looked at; null where nothing is. */
const leftSince = (host: HostRow): Date | null =>
  host.leftSince ?? (host.quarantinedUntil === null ? null : (host.seenAt ?? new Date(0)));

/** Removes directories of trials that went on elsewhere and got their outcome while it was away; tells which stay, and why. */
async function removeLeft(compute: SshCompute, left: readonly RunLeftover[]): Promise<string[]> {
  const stay: string[] = [];
  for (const run of left)
    await compute.remove(run).catch((error: unknown) => {
      if (error instanceof HostUnreachableError) throw error;
      stay.push(whyItStays(run, error));
    });
  return stay;
}

const whyItStays = ({ trialId }: RunRef, error: unknown): string =>
  `${trialId}: ${error instanceof Error ? error.message : String(error)}`;

/** What the host has, after what runs that are over left on its GPUs was ended. */
async function withoutLeftovers(compute: SshCompute): Promise<Machine> {
  const machine = await compute.machine();
  const left = machine.uses.filter(({ whose }) => whose === 'left');
  if (left.length === 0) return machine;
  await compute.killGpuLeftovers({ boot: machine.boot, uses: left });
  return compute.machine();
}

/** Runs whose trials went on elsewhere must be gone before anything else is placed beside them; tells whose directories stay. */
async function endOrphans(
  { store, compute, reach }: At,
  { name, mark }: HostRow & { mark?: ProbeMark },
): Promise<string[]> {
  const stay: string[] = [];
  for (const { trialId, placement, fence } of await store.run.findOrphans(name)) {
    const run = { trialId, placement };
    await compute.kill(run, fence);
    reach('orphan-killed');
    await compute.remove(run).catch((error: unknown) => {
      // Something began in it meanwhile: its row stays open, and the next look ends that.
      if (error instanceof HostUnreachableError || !(error instanceof HostError)) throw error;
      stay.push(whyItStays(run, error));
    });
    reach('orphan-removed');
    await store.run.closeOrphan({ ...run, host: name, mark });
  }
  return stay;
}
