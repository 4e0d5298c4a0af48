import { ApplicationFailure, log } from '@temporalio/activity';
import type { FollowedRun, Run } from '../../db/run/run.ts';
import type { RunEnding } from '../../db/run/save-end.ts';
import { failedHost } from '../../domain/fault/failed-host.ts';
import { type Held, ownDoing } from '../../domain/fault/own-doing.ts';
import type { Failure } from '../../domain/trial.ts';
import type { RunLimits } from '../../infra/compute.ts';
import type { StoredEnd } from '../run/collect.ts';
import { diskFull } from '../host/disk-full.ts';
import type { Watch } from './follow-run.ts';
import { lacksRoom } from './shortage.ts';

const LABEL = 'disk-limit';

type Filling = Pick<Watch, 'deps' | 'compute' | 'key' | 'task'> & { run: Pick<Run, 'host' | 'fence'> };

/** Where a run's host has no room left, and the run itself took it: the words for that, and null otherwise. */
export async function filledByItself(watch: Filling): Promise<Failure | null> {
  const { key, run, task } = watch;
  const held = await fullWith(watch).catch((error: unknown) => {
    // A host that fails says nothing against the run.
    if (failedHost(error) === null) throw error;
    log.warn('a host could not say what fills its disk', { ...key, host: run.host, error: String(error) });
    return null;
  });
  if (held === null) return null;
  const { diskMb, files } = task.run.resources;
  const [own, used] = [held.ownMb, held.usedMb].map(Math.round);
  switch (ownDoing(held, task.run.resources)) {
    case null:
      return null;
    case 'room':
      return {
        label: LABEL,
        message: `it filled the disk of its host: ${own} MiB of the ${used} in use there are its own (run.resources.diskMb: ${diskMb})`,
      };
    case 'files':
      return {
        label: LABEL,
        message: `it used up the files that the disk of its host has room for: ${held.ownFiles} of the ${held.usedFiles} files, folders and links there are its own (run.resources.files: ${files})`,
      };
    case 'entries':
      return {
        label: LABEL,
        message: `the disk of its host is full, and it made more than it may: expected at most ${files} files, folders and links (run.resources.files); got ${held.ownFiles}`,
      };
  }
}

/** What a run has on the disk of its host, where that has no room left; nothing of it grows or hides any more. */
async function fullWith({ deps, compute, key, run }: Filling): Promise<Held | null> {
  const isFull = deps.hosts.isOwnHost(run.host)
    ? (await diskFull(deps.machine.freeDisk)) !== null
    : await lacksRoom({ deps, run });
  if (!isFull) return null;
  await compute.kill(key, run.fence);
  return compute.holds(key);
}

/** Whether that was decided, and carries on whatever is left of the run by now. */
export const isFilled = (stop: Failure | null): boolean => stop?.label === LABEL;

/** The run ends as that, whatever its supervisor could say; returns what it was stopped for, which may have come first. */
export async function blame(
  { deps, key, run, limits }: Omit<Watch, 'compute'>,
  { stop, end }: { stop: Failure; end: StoredEnd | null },
): Promise<Failure> {
  const stands = await deps.store.run.saveStop({ ...key, follower: run.follower, stop });
  const stored =
    stands && (end !== null || (await deps.store.run.saveRunEnd({ ...key, ...unseen(run, { stop: stands, limits }) })));
  if (!stored) throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
  return stands;
}

/** The ending of a run whose supervisor left no last words: at its limit, at the latest. */
function unseen(
  { follower, launchedAt }: FollowedRun,
  { stop, limits }: { stop: Failure; limits: RunLimits },
): Omit<RunEnding, 'trialId' | 'placement'> {
  const most = (limits.wallSeconds ?? Infinity) + limits.graceSeconds;
  const began = (launchedAt ?? new Date()).getTime();
  const seconds = Math.min((Date.now() - began) / 1000, most);
  const end: StoredEnd = {
    ...{ reason: isFilled(stop) ? 'disk' : 'killed', exitCode: null, signal: null },
    ...{ wallSeconds: seconds, cpuSeconds: 0, maxRssMb: 0, outputBytes: 0 },
    startedAt: new Date(began).toISOString(),
    endedAt: new Date(began + seconds * 1000).toISOString(),
    ...{ containment: 'process-group', sandboxed: false, treeGone: true, missing: [], tooLarge: [], changed: [] },
  };
  return { follower, end, logTail: '', seconds, artefacts: [] };
}
