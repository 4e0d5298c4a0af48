import { ApplicationFailure } from '@temporalio/activity';
import type { Beside } from '../db/queries/beside.ts';
import type { RunRef } from '../infra/compute.ts';
import { unwrittenMb } from '../domain/room.ts';
import type { ActivityDeps } from './deps.ts';
import { diskFull } from './disk-full.ts';
import { removeRuns } from './remove-runs.ts';

type Deps = Pick<ActivityDeps, 'isOwnHost' | 'freeDisk'> &
  Parameters<typeof removeRuns>[0] & {
    store: Pick<
      ActivityDeps['store'],
      'noteWait' | 'findBeside' | 'loadTaskVersion' | 'isSlotWanted' | 'freeSlot' | 'loadTrial'
    >;
  };

/**
 * On this machine nothing begins that would fail of a full disk, or may fill it as far as its limit allows, and those of the
 * others there: Postgres and Temporal stop where there is no room at all, and then nobody is left who makes any. What has
 * begun may be what fills it. Who waits for room keeps its slot, unless another task wants it.
 */
export async function requireRoom(
  deps: Deps,
  run: { trialId: string; placement: number },
  { host, fence, diskMb }: { host: string; fence: number; diskMb: number },
): Promise<void> {
  if (!deps.isOwnHost(host)) return;
  const { trialId } = run;
  const others = await limitsOf(deps, await deps.store.findBeside({ trialId, host, fence }));
  // As if they had written nothing: to look takes time.
  if ((await diskFull(deps.freeDisk, { diskMb, othersMb: unwrittenMb(others) })) === null) return;
  if ((await deps.computeOf(host).inspect(run)).state !== 'absent') return;
  // What was lost there is of no use any more, and may be what takes the room that is waited for.
  if (run.placement > 0) await removeRuns(deps, { ...run, host, placement: run.placement - 1 });
  const full = await fullBeside(deps, others, { host, diskMb });
  if (full === null) return;
  await deps.store.noteWait({ trialId, waitsFor: `room on ${host}: ${full}` });
  if (await deps.store.isSlotWanted({ trialId })) await deps.store.freeSlot({ trialId, fence });
  throw lacksRoom(full);
}

/**
 * A trial that gave its slot to another task waits here until there is room for it, and only then for a slot again. It costs a
 * look now and then, and nothing in its workflow's history.
 */
export async function awaitRoom(deps: Deps & Pick<ActivityDeps, 'ownHost'>, trialId: string): Promise<void> {
  const trial = await deps.store.loadTrial(trialId);
  if (trial.waitsFor === null || trial.status !== null) return;
  const { ownHost: host } = deps;
  const { diskMb } = (await deps.store.loadTaskVersion(trial.taskHash)).task.run.resources;
  const beside = await deps.store.findBeside({ trialId, host, fence: Number.MAX_SAFE_INTEGER });
  const full = await fullBeside(deps, await limitsOf(deps, beside), { host, diskMb });
  await deps.store.noteWait({ trialId, waitsFor: full && `room on ${host}: ${full}` });
  if (full !== null) throw lacksRoom(full);
}

const lacksRoom = (full: string): ApplicationFailure => ApplicationFailure.retryable(full, 'DiskFull');

type Limited = RunRef & { diskMb: number; ownMb: number };

/** Why there is no room beside what others may still write, by what they have written. */
async function fullBeside(
  deps: Deps,
  others: readonly Limited[],
  { host, diskMb }: { host: string; diskMb: number },
): Promise<string | null> {
  const compute = deps.computeOf(host);
  const written = await Promise.all(
    others.map(async (other) => ({ ...other, ownMb: (await compute.holds(other, { living: true })).ownMb })),
  );
  return diskFull(deps.freeDisk, { diskMb, othersMb: unwrittenMb(written) });
}

const limitsOf = (deps: Deps, others: readonly Beside[]): Promise<Limited[]> =>
  Promise.all(
    others.map(async ({ taskHash, ...run }) => {
      const { task } = await deps.store.loadTaskVersion(taskHash);
      return { ...run, diskMb: task.run.resources.diskMb, ownMb: 0 };
    }),
  );
