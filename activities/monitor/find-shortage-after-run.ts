import type { Run } from '../../db/run/run.ts';
import { isIsolated } from '../../domain/fault/is-isolated.ts';
import type { FailedRun } from '../../domain/fleet/gpus.ts';
import type { RunEnd } from '../../infra/compute.ts';
import type { PickDeps, PickStatements } from '../deps.ts';
import { diskFull } from '../host/disk-full.ts';

export interface Ended {
  key: { jobId: string };
  run: Pick<Run, 'host' | 'fence'>;
  deps: PickDeps<'hosts', 'isOwnHost' | 'shortageOf'> &
    PickDeps<'machine', 'freeDisk'> &
    PickStatements<'slot', 'findLease'>;
}

/** Shortage of the run's host, or another user of the run's GPU, in words; null if there is none. */
export const findShortageAfterRun = (ended: Ended, end: RunEnd): Promise<string | null> =>
  findShortage(ended, timesOf(end));

/**
 * The same for a program that answered an evaluator on the slot of a run that ended well. `talk`: the end of that
 * program, if known. Processes of the run itself on its GPU do not count as another user.
 */
export function findShortageAfterConversation(
  ended: Ended,
  { end, talk }: { end: RunEnd; talk: RunEnd | undefined },
): Promise<string | null> {
  const run = timesOf(end);
  if (!talk) return findShortage(ended, { ...run, ended: null, contained: false });
  const asked = timesOf(talk);
  // A boot in between resets the clock and ends all processes of the run; the smaller time is right in both cases.
  const began = run.began === null || asked.began === null ? null : Math.min(run.began, asked.began);
  return findShortage(ended, { ...asked, began, contained: run.contained && asked.contained });
}

async function findShortage({ deps, key, run }: Ended, failed: Omit<FailedRun, 'gpu'>): Promise<string | null> {
  if (deps.hosts.isOwnHost(run.host)) return diskFull(deps.machine.freeDisk);
  const lease = await deps.store.slot.findLease(key.jobId);
  return deps.hosts.shortageOf(run.host, { gpu: lease?.fence === run.fence ? lease.gpu : null, ...failed });
}

function timesOf(end: RunEnd): Omit<FailedRun, 'gpu'> {
  const { upSeconds, wallSeconds, treeGone } = end;
  return {
    began: upSeconds ?? null,
    ended: upSeconds === undefined ? null : upSeconds + wallSeconds,
    // Without a sandbox the run may have started processes outside its namespace.
    contained: treeGone && isIsolated(end),
    ranAsOurUser: !isIsolated(end),
  };
}
