import { randomUUID } from 'node:crypto';
import type { FleetHost, FleetPool } from '../../domain/fleet/fleet.ts';
import { clockProblem } from '../../domain/fleet/clock.ts';
import { chooseGpus } from '../../domain/fleet/gpus.ts';
import { lendableSlots } from '../../domain/fleet/lendable-slots.ts';
import { slotsOf } from '../../domain/fleet/slots.ts';
import { SlotTakenError, type Protections } from '../../infra/compute.ts';
import { computeOfHost, type HostClient } from '../../infra/compute/compute-of-host.ts';
import type { SshCompute } from '../../infra/compute/ssh.ts';
import type { Machine } from '../../infra/compute/ssh/machine/machine.ts';
import { tryRun, type Tried } from '../../infra/compute/try-run.ts';

/** Beyond this, times of runs and times of ours are hard to read together. */
const CLOCK_SECONDS = 5;
/** Workspaces, runs and logs want some room. */
const ROOM_MB = 1024;

/** So the host's script begins what no other run is to blame for. */
const UNLOCKABLE = 'GPU locks:';

/** What a host said and did when it was tried. What comes after the first failure is null. */
export interface HostCheck {
  host: string;
  pool: string;
  /** A run would work here; there may be problems all the same. */
  ok: boolean;
  machine: Machine | null;
  /** Slots that it would give. */
  slots: number;
  protections: Protections | null;
  /** Of a real small run, from staging to removal. */
  runSeconds: number | null;
  /** What stands in the way, then what a person should know. */
  problems: string[];
}

/** Tries a host end to end: login, scratch folder, tools, GPUs, sandbox, clock, a real small run. Never rejects. */
export async function checkHost(host: FleetHost, pool: FleetPool, caller: HostClient): Promise<HostCheck> {
  const check: HostCheck = {
    ...{ host: host.name, pool: host.pool, ok: false, machine: null },
    ...{ slots: 0, protections: null, runSeconds: null, problems: [] },
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
  const { problem } = lendableSlots({ pool, host, lent: [] }, machine);
  check.slots = problem === null ? slotsOf(pool, host, machine).length : 0;
  check.problems.push(...shortcomings({ host, pool, machine, problem }));
  check.protections = await compute.protections('required');
  if (!check.protections.network)
    check.problems.push('no sandbox: only tasks with sandbox: preferred or none run here');
  const { gpu, tried, refusal } = await tryOn(compute, freeGpus({ host, pool, machine }));
  if (gpu === null && check.slots > 0 && pool.slots !== 'cpu')
    check.problems.push(`its small run was given no GPU: ${refusal ?? 'none was free'}`);
  check.runSeconds = tried.seconds;
  if (gpu !== null && tried.gpus !== '' && !tried.gpus.includes(gpu))
    check.problems.push(
      `expected a run to see its GPU ${gpu}; nvidia-smi -L said in one: ${tried.gpus.replace(/\s+/g, ' ').slice(0, 300)}`,
    );
}

interface TriedOn {
  gpu: string | null;
  tried: Tried;
  /** Why the last GPU before it was not given. */
  refusal: string | null;
}

/** A small run, on the first of these GPUs that a trial has not taken since; on none where all are. */
async function tryOn(compute: SshCompute, gpus: readonly string[], refusal: string | null = null): Promise<TriedOn> {
  const [gpu = null, ...others] = gpus;
  try {
    const tried = await tryRun(compute, { trialId: `fleet-check/${randomUUID()}`, placement: 0 }, gpu);
    return { gpu, tried, refusal };
  } catch (error) {
    // Where nobody can lock one, none is lent.
    if (!(error instanceof SlotTakenError) || error.message.includes(UNLOCKABLE) || gpu === null) throw error;
    return tryOn(compute, others, error.message);
  }
}

/** GPUs that nobody uses or holds, for a run of a pool that lends them. */
function freeGpus({ host, pool, machine }: { host: FleetHost; pool: FleetPool; machine: Machine }): string[] {
  if (pool.slots === 'cpu') return [];
  const { gpus } = chooseGpus(machine.gpus, host.gpus);
  const isFree = (uuid: string): boolean =>
    !machine.held.includes(uuid) && !machine.uses.some((use) => use.uuid === uuid);
  return gpus.map(({ uuid }) => uuid).filter(isFree);
}

function shortcomings(of: { host: FleetHost; pool: FleetPool; machine: Machine; problem: string | null }): string[] {
  const { host, pool, machine, problem } = of;
  const { gpus, missing } = chooseGpus(machine.gpus, host.gpus);
  const found: string[] = [];
  if (machine.gpuFault !== null) found.push(machine.gpuFault.replace(/\s+/g, ' '));
  if (missing.length > 0)
    found.push(
      `expected the GPUs ${missing.join(', ')}; nvidia-smi names ${machine.gpus.map(({ index, uuid }) => `${index} (${uuid})`).join(', ') || 'none'}`,
    );
  if (problem !== null && !found.some((one) => problem.includes(one))) found.push(problem);
  const used = gpus.filter(({ uuid }) => machine.uses.some((use) => use.uuid === uuid && use.whose !== 'ours'));
  if (used.length > 0 && pool.slots !== 'cpu')
    found.push(
      `in use now by processes that are none of our runs': ${used.map(({ index }) => `GPU ${index}`).join(', ')}`,
    );
  const clock = clockProblem(machine.clockAhead, CLOCK_SECONDS);
  if (clock !== null) found.push(clock);
  if (machine.roomMb < ROOM_MB) found.push(`${machine.roomMb} MiB free where the scratch folder is, ${ROOM_MB} wanted`);
  return found;
}
