import { join } from 'node:path';
import type { Compute, RunRef } from '../../../infra/compute.ts';
import { startOfProcess } from '../../../infra/compute/local/attempt/owner.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { listNames } from '../../../infra/files.ts';
import { removeTree } from '../../../infra/remove-tree.ts';
import { printNote, type Io } from '../../io.ts';

/** Fence of a try: nobody else launches its run. */
export const FENCE = 1;

/** This machine as the host of one run, under an installation of its own. */
export interface TryHost {
  compute: Compute;
  run: RunRef;
  /** Removes the run and the installation. */
  close: () => Promise<void>;
}

/** A process, whose id another one may get later. */
interface Owner {
  pid: number;
  start: string;
}

/**
 * Opens this machine for one run of this process, and removes what killed commands left. The sweep of a worker would
 * remove a run that it does not know, so the run has an installation of its own, which names this process. Throws if
 * this user cannot make runs in the home.
 */
export async function openTryHost(io: Io, home: string): Promise<TryHost> {
  const start = await startOfProcess(process.pid);
  if (start === undefined) throw new Error('expected the start time of this process in /proc/self/stat');
  const host = tryHostOf(home, { pid: process.pid, start });
  await removeLeftovers(io, home);
  return host;
}

/** The host of the one run of a process. */
export function tryHostOf(home: string, { pid, start }: Owner): TryHost {
  const installation = `source-try-${pid}-${start}`;
  const compute = createLocalCompute({ home, installation });
  const run = { jobId: installation, placement: 0 };
  const close = async (): Promise<void> => {
    await compute.kill(run, FENCE);
    await compute.remove(run);
    await removeTree(join(home, 'runs', installation));
  };
  return { compute, run, close };
}

/** Removes the runs of processes that have ended. A killed command leaves its run, which goes on without it. */
async function removeLeftovers(io: Io, home: string): Promise<void> {
  for (const name of await listNames(join(home, 'runs'))) {
    const [, pid, start] = /^source-try-(\d+)-(\d+)$/.exec(name) ?? [];
    if (pid === undefined || start === undefined || (await startOfProcess(Number(pid))) === start) continue;
    try {
      await tryHostOf(home, { pid: Number(pid), start }).close();
    } catch (error) {
      // A failed removal, such as that of another user's run, must not stop this try.
      printNote(
        io,
        `note: ${join(home, 'runs', name)}, which a killed command left, was not removed: ${String(error)}`,
      );
    }
  }
}
