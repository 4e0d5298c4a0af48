import { stat } from 'node:fs/promises';
import { z } from 'zod';
import type { Task } from '../../domain/task/task.ts';
import { findHosts } from '../../db/host/fleet.ts';
import { findInstallation } from '../../db/research/research.ts';
import { type Compute, GROUPED, type Protections, type RunEnd } from '../../infra/compute.ts';
import { configOf, withDb } from '../context.ts';
import { callerOf } from '../fleet/caller.ts';
import type { Io } from '../io.ts';
import { readLocalHostName } from '../read-local-host-name.ts';
import { createLocalCompute } from '../../infra/compute/local.ts';
import { computeOfHost } from '../../infra/compute/compute-of-host.ts';
import { exposureOf } from '../../infra/compute/run-protocol/confinement/exposure.ts';

/** Opens this machine's compute, with the installation id of the database. */
export async function openCompute(io: Io): Promise<Compute> {
  const { home } = configOf(io);
  return createLocalCompute({ home, installation: (await withDb(io, findInstallation)).id });
}

/** Protections that a run's machine enforces. */
export interface HostProtections {
  /** The machine in words. */
  machine: string;
  /** Name of the host in the database; null for this machine if nothing ran. */
  host: string | null;
  /** Null if this machine cannot find them out. */
  protections: Protections | null;
  /** Reason why the protections are not known, in words; null if they are known. */
  unknownReason: string | null;
}

type ContainmentLevel = Pick<RunEnd, 'containment' | 'sandboxed' | 'groups'> & { loopback?: boolean | undefined };

interface Run {
  /** Null if nothing ran. */
  host: string | null;
  /** Level of isolation that the run had; null if its end is not stored. */
  end: ContainmentLevel | null;
}

/** Reads the protections that a run had on its machine: this machine, or a host of the fleet. */
export async function readProtections(
  io: Io,
  { task, run: { host, end } }: { task: Task; run: Run },
): Promise<HostProtections> {
  const required = task.run.sandbox === 'required';
  const mode = task.run.sandbox ?? 'preferred';
  const { home } = configOf(io);
  if (host === null || host === (await readLocalHostName(home)))
    return {
      machine: 'this machine',
      host,
      unknownReason: null,
      protections: ofRun(await (await openCompute(io)).protections(mode), {
        end,
        required,
        remote: false,
        // The worker may run as another user than this process: the home belongs to the worker's user.
        isRoot: (await stat(home)).uid === 0,
      }),
    };
  const { known, caller } = await withDb(io, async (db) => ({
    known: (await findHosts(db)).find(({ name }) => name === host),
    caller: await callerOf(io, db),
  }));
  const machine = `the host ${host}${known ? ` of the pool ${known.pool}` : ''}`;
  if (!known)
    return {
      machine,
      host,
      protections: null,
      unknownReason: 'the host is not in the fleet. To see them, run `npx perpetua check` on that host',
    };
  const compute = computeOfHost(known.spec, caller);
  try {
    const protections = ofRun(await compute.protections(mode), {
      end,
      required,
      remote: true,
      isRoot: known.spec.user === 'root',
    });
    return { machine, host, protections, unknownReason: null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { machine, host, protections: null, unknownReason: `they cannot be probed from here: ${why}` };
  } finally {
    compute.close();
  }
}

/** Facts of a run from which its protections follow. */
interface RunFacts {
  end: ContainmentLevel;
  /** True if the task has `sandbox: required`. */
  required: boolean;
  /** True if the local worker, or the SSH login on the host, is root. */
  isRoot: boolean;
  /** True if the run was on a host of the fleet. */
  remote: boolean;
}

/**
 * Returns the protections that a run had. `offered`: the protections that the machine gives to this process.
 * If the run's end has another level, the protections follow from that level: the worker may be another user.
 * Under containment `uid`, the network counts as closed only if the task requires a sandbox.
 */
function protectionsOfRun(offered: Protections, { end, required, isRoot, remote }: RunFacts): Protections {
  const { containment, sandboxed, groups = [] } = end;
  if (containment === offered.containment && sandboxed === offered.sandboxed) return { ...offered, groups };
  const ownUid = containment === 'uid' || (sandboxed && isRoot);
  const networkClosed = sandboxed || (containment === 'uid' && required);
  const level = { sandboxed, ownUid, networkClosed, loopback: end.loopback ?? false };
  return {
    containment,
    sandboxed,
    network: networkClosed,
    filesystem: sandboxed,
    processes: containment === 'pid-namespace',
    uid: ownUid,
    groups,
    exposure: exposureOf(level, { isRoot, remote }),
    notes: [
      'The run itself reported these protections. A run under this command, as another user or in a container, ' +
        `would have those of ${offered.containment}${offered.sandboxed ? ' with a sandbox' : ''}.`,
    ],
  };
}

const ofRun = (offered: Protections, { end, ...facts }: Omit<RunFacts, 'end'> & Pick<Run, 'end'>): Protections =>
  end === null ? offered : protectionsOfRun(offered, { end, ...facts });

const Level = z.object({
  containment: z.enum(['pid-namespace', 'cgroup', 'uid', 'process-group']),
  sandboxed: z.boolean(),
  loopback: z.boolean().optional(),
  groups: z.array(z.enum(GROUPED)).default([]),
});

/** Reads the level of isolation from a run's stored end; null if the end has none. */
export const parseContainmentLevel = (end: unknown): Run['end'] => Level.safeParse(end).data ?? null;
