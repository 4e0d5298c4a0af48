import { ApplicationFailure } from '@temporalio/activity';
import type { Beside } from '../../db/run/beside.ts';
import { unwrittenMb } from '../../domain/room.ts';
import type { Part, Statements } from '../deps.ts';
import { diskFull } from './disk-full.ts';
import { removeRuns } from '../run/remove-runs.ts';

type Deps = Part<'hosts', 'isOwnHost'> &
  Part<'machine', 'freeDisk'> &
  Parameters<typeof removeRuns>[0] &
  Statements<'run', 'noteWait' | 'findBeside'> &
  Statements<'task', 'loadTaskVersion'>;

/**
 * On this machine nothing begins that would fail of a full disk, or may fill it as far as its limit allows, and those of the
 * others there: Postgres and Temporal stop where there is no room at all, and then nobody is left who makes any. What has
 * begun may be what fills it.
 */
export async function requireRoom(
  deps: Deps,
  run: { trialId: string; placement: number },
  { host, fence, diskMb }: { host: string; fence: number; diskMb: number },
): Promise<void> {
  if (!deps.hosts.isOwnHost(host)) return;
  const others = await limitsOf(deps, await deps.store.run.findBeside({ trialId: run.trialId, host, fence }));
  // As if they had written nothing: to look takes time.
  if ((await diskFull(deps.machine.freeDisk, { diskMb, othersMb: unwrittenMb(others) })) === null) return;
  const compute = deps.hosts.computeOf(host);
  if ((await compute.inspect(run)).state !== 'absent') return;
  // What was lost there is of no use any more, and may be what takes the room that is waited for.
  if (run.placement > 0) await removeRuns(deps, { ...run, host, placement: run.placement - 1 });
  const written = await Promise.all(
    others.map(async (other) => ({ ...other, ownMb: (await compute.holds(other, { living: true })).ownMb })),
  );
  const full = await diskFull(deps.machine.freeDisk, { diskMb, othersMb: unwrittenMb(written) });
  if (full === null) return;
  await deps.store.run.noteWait({ trialId: run.trialId, waitsFor: `room on ${host}: ${full}` });
  throw ApplicationFailure.retryable(full, 'DiskFull');
}

const limitsOf = (deps: Deps, others: readonly Beside[]) =>
  Promise.all(
    others.map(async ({ taskHash, ...run }) => {
      const { task } = await deps.store.task.loadTaskVersion(taskHash);
      return { ...run, diskMb: task.run.resources.diskMb, ownMb: 0 };
    }),
  );
