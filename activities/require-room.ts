import { ApplicationFailure } from '@temporalio/activity';
import type { ActivityDeps } from './deps.ts';
import { diskFull } from './disk-full.ts';
import { removeRuns } from './remove-runs.ts';

type Deps = Pick<ActivityDeps, 'isOwnHost' | 'freeDisk'> &
  Parameters<typeof removeRuns>[0] & { store: Pick<ActivityDeps['store'], 'noteWait'> };

/**
 * On this machine nothing begins that would fail of a full disk, or may fill it as far as its limit allows: Postgres and Temporal
 * stop where there is no room at all, and then nobody is left who makes any. What has begun may be what fills it.
 */
export async function requireRoom(
  deps: Deps,
  run: { trialId: string; placement: number },
  { host, diskMb }: { host: string; diskMb: number },
): Promise<void> {
  if (!deps.isOwnHost(host) || (await diskFull(deps.freeDisk, { diskMb })) === null) return;
  if ((await deps.computeOf(host).inspect(run)).state !== 'absent') return;
  // What was lost there is of no use any more, and may be what takes the room that is waited for.
  if (run.placement > 0) await removeRuns(deps, { ...run, host, placement: run.placement - 1 });
  const full = await diskFull(deps.freeDisk, { diskMb });
  if (full === null) return;
  await deps.store.noteWait({ trialId: run.trialId, waitsFor: `room on ${host}: ${full}` });
  throw ApplicationFailure.retryable(full, 'DiskFull');
}
