import { randomUUID } from 'node:crypto';
import type { FleetHost, FleetPool } from '../../domain/fleet/fleet.ts';
import { clockProblem } from '../../domain/fleet/clock.ts';
import { chooseGpus, describeBroken, withoutBroken } from '../../domain/fleet/gpus.ts';
import { lendableSlots } from '../../domain/fleet/lendable-slots.ts';
import { slotsOf } from '../../domain/fleet/slots.ts';
import { SlotTakenError, type Protections } from '../../infra/compute.ts';
import { computeOfHost, type HostClient } from '../../infra/compute/compute-of-host.ts';
import type { SshCompute } from '../../infra/compute/ssh.ts';
import type { Machine } from '../../infra/compute/ssh/machine/machine.ts';
import { tryRun, type Tried } from '../../infra/compute/try-run.ts';

/** Difference of clocks above which the times of runs are hard to compare with the times of this machine. */
const CLOCK_SECONDS = 5;
/** Free room that workspaces, runs and logs need. */
const ROOM_MB = 1024;

/** Prefix of the host script's errors about GPU locks themselves: no other run holds the GPU. */
const UNLOCKABLE = 'GPU locks:';

/** Result of checking a host. Fields of steps after the first failure are null. */
export interface HostCheck {
  host: string;
  pool: string;
  /** True if a run would work here. There may be problems nevertheless. */
  ok: boolean;
  machine: Machine | null;
  /** Number of slots that the host would lend. */
  slots: number;
  protections: Protections | null;
  /** Seconds of a real small run, from staging to removal. */
  runSeconds: number | null;
  /** Obstacles first, then notes for a person. */
  problems: string[];
}

/** Checks a host end to end: login, scratch folder, tools, GPUs, sandbox, clock, a real small run. Never rejects. */
export async function checkHost(host: FleetHost, pool: FleetPool, caller: HostClient): Promise<HostCheck> {
  const check: HostCheck = {
    host: host.name,
    pool: host.pool,
    ok: false,
    machine: null,
    slots: 0,
    protections: null,
    runSeconds: null,
    problems: [],
  };
  const compute = computeOfHost(host, caller);
  try {
    await tryAll(compute, { host, pool }, check);
    check.ok = check.slots > 0;
  } catch (error) {
    check.problems.unshift(error instanceof Error ? error.message : String(error));
  } finally {
    compute.close();
  }
  return check;
}

async function tryAll(
  compute: SshCompute,
  { host, pool }: { host: FleetHost; pool: FleetPool },
  check: HostCheck,
): Promise<void> {
  const machine = await compute.machine();
  check.machine = machine;
  await compute.requireReadable();
  const { problem } = lendableSlots({ pool, host, ownGpus: [] }, machine);
  check.slots = problem === null ? slotsOf(pool, host, machine).length : 0;
  check.problems.push(...shortcomings({ host, pool, machine, problem }));
  check.protections = await compute.protections('required');
  if (!check.protections.network)
    check.problems.push('no sandbox: only tasks with sandbox: preferred or none run here');
  const { gpu, tried, refusal } = await tryOn(compute, freeGpus({ host, pool, machine }));
  if (gpu === null && check.slots > 0 && pool.slots !== 'cpu')
    check.problems.push(`its small run got no GPU: ${refusal ?? 'none was free'}`);
  check.runSeconds = tried.seconds;
  if (gpu !== null && tried.gpus !== '' && !tried.gpus.includes(gpu)) {
    const listed = tried.gpus.replace(/\s+/g, ' ').slice(0, 300);
    check.problems.push(`expected the small run to see its GPU ${gpu}; nvidia-smi -L printed in it: ${listed}`);
  }
}

interface TriedOn {
  gpu: string | null;
  tried: Tried;
  /** Reason why the GPU before it was refused; null if none was. */
  refusal: string | null;
}

/** Tries a small run on the first of these GPUs that no trial has taken meanwhile; without a GPU if all are taken. */
async function tryOn(compute: SshCompute, gpus: readonly string[], refusal: string | null = null): Promise<TriedOn> {
  const [gpu = null, ...others] = gpus;
  try {
    const tried = await tryRun(compute, { jobId: `fleet-check/${randomUUID()}`, placement: 0 }, gpu);
    return { gpu, tried, refusal };
  } catch (error) {
    // A host on which no GPU can be locked lends none, so the next GPU would fail, too.
    if (!(error instanceof SlotTakenError) || error.message.includes(UNLOCKABLE) || gpu === null) throw error;
    return tryOn(compute, others, error.message);
  }
}

/** UUIDs of the host's GPUs that no process uses and no installation holds; empty for a pool of CPU slots. */
function freeGpus({ host, pool, machine }: { host: FleetHost; pool: FleetPool; machine: Machine }): string[] {
  if (pool.slots === 'cpu') return [];
  const { gpus } = chooseGpus(machine.gpus, host.gpus);
  const isFree = (uuid: string): boolean =>
    !machine.held.includes(uuid) && !machine.uses.some((use) => use.uuid === uuid);
  return gpus.map(({ uuid }) => uuid).filter(isFree);
}

function shortcomings({
  host,
  pool,
  machine,
  problem,
}: {
  host: FleetHost;
  pool: FleetPool;
  machine: Machine;
  problem: string | null;
}): string[] {
  const { gpus, missing: absent } = chooseGpus(machine.gpus, host.gpus);
  const missing = withoutBroken(absent, machine.broken);
  const broken = describeBroken(machine.broken);
  const found: string[] = [];
  if (broken !== null) found.push(broken);
  if (machine.gpuFault !== null) found.push(machine.gpuFault.replace(/\s+/g, ' '));
  if (missing.length > 0) {
    const listed = machine.gpus.map(({ index, uuid }) => `${index} (${uuid})`).join(', ') || 'none';
    found.push(`expected the GPUs ${missing.join(', ')}; nvidia-smi names ${listed}`);
  }
  if (problem !== null && !found.some((text) => problem.includes(text))) found.push(problem);
  const used = gpus.filter(({ uuid }) => machine.uses.some((use) => use.uuid === uuid && use.whose !== 'ours'));
  if (used.length > 0 && pool.slots !== 'cpu')
    found.push(
      `in use now by processes that are not runs of Perpetua: ${used.map(({ index }) => `GPU ${index}`).join(', ')}`,
    );
  const clock = clockProblem(machine.clockAhead, CLOCK_SECONDS);
  if (clock !== null) found.push(clock);
  if (machine.roomMb < ROOM_MB) found.push(`${machine.roomMb} MiB free at the scratch folder, ${ROOM_MB} needed`);
  return found;
}
