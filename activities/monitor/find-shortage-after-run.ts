import type { Run } from '../../db/run/run.ts';
import { isIsolated } from '../../domain/fault/is-isolated.ts';
import type { FailedRun } from '../../domain/fleet/gpus.ts';
import type { RunEnd } from '../../infra/compute.ts';
import type { PickDeps, PickStatements } from '../deps.ts';
import { diskFull } from '../host/disk-full.ts';

export interface Ended {
  key: { trialId: string };
  run: Pick<Run, 'host' | 'fence'>;
  deps: PickDeps<'hosts', 'isOwnHost' | 'shortageOf'> &
    PickDeps<'machine', 'freeDisk'> &
    PickStatements<'slot', 'findLease'>;
}

/** What the host of a run lacks now, or who else used the GPU of the run, in words; null: nothing. */
export const findShortageAfterRun = (of: Ended, end: RunEnd): Promise<string | null> => lackOf(of, timesOf(end));

/**
 * The same for a program that answered an evaluator on the slot of a run that ended well. `talk`: the end of that program, if
 * there is one. What the run itself left on its GPU is nobody else's.
 */
export function findShortageAfterConversation(
  of: Ended,
  { end, talk }: { end: RunEnd; talk: RunEnd | undefined },
): Promise<string | null> {
  const run = timesOf(end);
  if (!talk) return lackOf(of, { ...run, ended: null, contained: false });
  const asked = timesOf(talk);
  // If the host was booted in between, nothing of the run was left.
  const began = run.began === null || asked.began === null ? null : Math.min(run.began, asked.began);
  return lackOf(of, { ...asked, began, contained: run.contained && asked.contained });
}

async function lackOf({ deps, key, run }: Ended, failed: Omit<FailedRun, 'gpu'>): Promise<string | null> {
  if (deps.hosts.isOwnHost(run.host)) return diskFull(deps.machine.freeDisk);
  const lease = await deps.store.slot.findLease(key.trialId);
  return deps.hosts.shortageOf(run.host, { gpu: lease?.fence === run.fence ? lease.gpu : null, ...failed });
}

function timesOf(end: RunEnd): Omit<FailedRun, 'gpu'> {
  const { upSeconds, wallSeconds, treeGone } = end;
  return {
    began: upSeconds ?? null,
    ended: upSeconds === undefined ? null : upSeconds + wallSeconds,
    // Without a sandbox it may have had something started from outside its namespace.
    contained: treeGone && isIsolated(end),
    asUs: !isIsolated(end),
  };
}
