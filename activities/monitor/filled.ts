import { ApplicationFailure, log } from '@temporalio/activity';
import { type Held, isOwnDoing } from '../../domain/own-doing.ts';
import type { Failure } from '../../domain/trial.ts';
import type { StoredEnd } from '../collect.ts';
import { diskFull } from '../disk-full.ts';
import type { Watch } from './follow-run.ts';
import { lacksRoom } from './shortage.ts';

/** Where a run's host has no room left, and the run itself took it: the words for that, and null otherwise. */
export async function filledByItself(watch: Watch): Promise<Failure | null> {
  const { deps, key, run, task } = watch;
  const { diskMb } = task.run.resources;
  const held = await fullWith(watch).catch((error: unknown) => {
    // A host that fails says nothing against the run.
    if (deps.hostFault(error) === null) throw error;
    log.warn('a host could not say what fills its disk', { ...key, host: run.host, error: String(error) });
    return null;
  });
  if (held === null || !isOwnDoing(held, diskMb)) return null;
  const [own, used] = [held.ownMb, held.usedMb].map(Math.round);
  return {
    label: 'disk-limit',
    message: `it filled the disk of its host: ${own} MiB of the ${used} in use there are its own (run.resources.diskMb: ${diskMb})`,
  };
}

/** What a run has on the disk of its host, where that has no room left. */
async function fullWith(watch: Watch): Promise<Held | null> {
  const { deps, run } = watch;
  const isFull = deps.isOwnHost(run.host) ? (await diskFull(deps.freeDisk)) !== null : await lacksRoom(watch);
  return isFull ? watch.compute.holds(watch.key) : null;
}

/** The run ends as that, whatever its supervisor could say, and makes room. */
export async function blame(
  { deps, compute, key, run }: Watch,
  { stop, end }: { stop: Failure; end: StoredEnd | null },
) {
  const { follower } = run;
  await compute.kill(key, run.fence);
  const ending = { end: unseen(run.secondsAgo ?? 0), logTail: '', seconds: run.secondsAgo ?? 0, artefacts: [] };
  const stored =
    (await deps.store.saveStop({ ...key, follower, stop })) !== undefined &&
    (end !== null || (await deps.store.saveRunEnd({ ...key, follower, ...ending })));
  if (!stored) throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
}

/** Of a run whose supervisor found no room for its last words. */
const unseen = (wallSeconds: number): StoredEnd => ({
  ...{ reason: 'disk', exitCode: null, signal: null, wallSeconds, cpuSeconds: 0, maxRssMb: 0, outputBytes: 0 },
  startedAt: new Date(Date.now() - wallSeconds * 1000).toISOString(),
  endedAt: new Date().toISOString(),
  ...{ containment: 'process-group', sandboxed: false, treeGone: true, missing: [], tooLarge: [], changed: [] },
});
