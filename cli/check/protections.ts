import { stat } from 'node:fs/promises';
import { z } from 'zod';
import type { Task } from '../../domain/task/task.ts';
import { findHosts } from '../../db/host/fleet.ts';
import { findInstallation } from '../../db/research/research.ts';
import type { Compute, Protections, RunEnd } from '../../infra/compute.ts';
import { configOf, withDb } from '../context.ts';
import { callerOf } from '../fleet/caller.ts';
import type { Io } from '../io.ts';
import { readLocalHostName } from '../read-local-host-name.ts';
import { createLocalCompute } from '../../infra/compute/local.ts';
import { computeOfHost } from '../../infra/compute/compute-of-host.ts';
import { exposureOf } from '../../infra/compute/run-protocol/exposure.ts';

/** This machine as a host of runs, under the installation of the database. */
export async function openCompute(io: Io): Promise<Compute> {
  const { home } = configOf(io);
  return createLocalCompute({ home, installation: (await withDb(io, findInstallation)).id });
}

/** What is enforced where a run was, and where that is. */
export interface HostProtections {
  /** The machine in words. */
  machine: string;
  /** Its name in the lineage; null for this machine where nothing ran. */
  host: string | null;
  /** Null where it cannot be told from here. */
  protections: Protections | null;
  /** Why it cannot be told; null where it can. */
  unknownReason: string | null;
}

/** A run that ended, as far as that. */
interface Run {
  host: string | null;
  end: Pick<RunEnd, 'containment' | 'sandboxed'> | null;
}

/** Protections that the machine which ran a task enforced for it: this one, or the host of the fleet that had the run. */
export async function readProtections(
  io: Io,
  { task, run: { host, end } }: { task: Task; run: Run },
): Promise<HostProtections> {
  const required = task.run.sandbox === 'required';
  const mode = task.run.sandbox ?? 'preferred';
  const { home } = configOf(io);
  if (host === null || host === (await readLocalHostName(home)))
    return {
      ...{ machine: 'this machine', host, unknownReason: null },
      // Of a worker that runs as another user than we do, the home tells whose it is.
      protections: ofRun(await (await openCompute(io)).protections(mode), {
        ...{ end, required, remote: false },
        isRoot: (await stat(home)).uid === 0,
      }),
    };
  const { known, caller } = await withDb(io, async (db) => ({
    known: (await findHosts(db)).find(({ name }) => name === host),
    caller: await callerOf(io, db),
  }));
  const of = `the host ${host}${known ? ` of the pool ${known.pool}` : ''}`;
  if (!known)
    return {
      machine: of,
      host,
      protections: null,
      unknownReason: 'it is another machine; run `npx perpetua check` there to see them',
    };
  const compute = computeOfHost(known.spec, caller);
  try {
    const asked = ofRun(await compute.protections(mode), {
      ...{ end, required, remote: true },
      isRoot: known.spec.user === 'root',
    });
    return { machine: of, host, protections: asked, unknownReason: null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { machine: of, host, protections: null, unknownReason: `it cannot be asked from here: ${why}` };
  } finally {
    compute.close();
  }
}

/** Where a run was, and what its task asked for. */
interface Ran {
  end: Pick<RunEnd, 'containment' | 'sandboxed'>;
  required: boolean;
  /** Whether its worker, or its login, is root. */
  isRoot: boolean;
  remote: boolean;
}

/**
 * The protections that a run had, where who asks would give another level than its worker gave: by its own end. The network of a
 * user of its own counts as closed only where that was required.
 */
function protectionsOfRun(asked: Protections, { end, required, isRoot, remote }: Ran): Protections {
  const { containment, sandboxed } = end;
  if (containment === asked.containment && sandboxed === asked.sandboxed) return asked;
  const ownUid = containment === 'uid' || (sandboxed && isRoot);
  const networkClosed = sandboxed || (containment === 'uid' && required);
  const level = { containment, sandboxed, ownUid, networkClosed };
  return {
    ...{ containment, sandboxed, network: networkClosed, filesystem: sandboxed },
    ...{ processes: containment === 'pid-namespace', uid: ownUid },
    exposure: exposureOf(level, { isRoot, remote }),
    notes: [
      `These are of the run, by its own end. Asked from here, another user or a smaller part of the machine, they would be those of ${asked.containment}${asked.sandboxed ? ' with a sandbox' : ''}.`,
    ],
  };
}

const ofRun = (asked: Protections, { end, ...ran }: Omit<Ran, 'end'> & Pick<Run, 'end'>): Protections =>
  end === null ? asked : protectionsOfRun(asked, { end, ...ran });

const Level = z.object({
  containment: z.enum(['pid-namespace', 'cgroup', 'uid', 'process-group']),
  sandboxed: z.boolean(),
});

/** Level of a run by its stored end; null where there is none. */
export const parseContainmentLevel = (end: unknown): Run['end'] => Level.safeParse(end).data ?? null;
