import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { Run } from '../../db/run/run.ts';
import { isTrialId } from '../../domain/trial/ids.ts';
import type { Compute } from '../../infra/compute.ts';
import { collectRun } from './collect.ts';
import type { ActivityDeps } from '../deps.ts';
import { withHostFailure } from '../host/with-host-failure.ts';
import { loadLaunchableJob } from '../launch/launchable-job.ts';
import { createOutputFollower } from '../monitor/follow/output-follower.ts';
import { removeRuns } from './remove-runs.ts';
import { jobLimits } from './run-spec.ts';

/** Longest wait for a host that nobody has seen of late, where only what answers for an ended run may still be there. */
const AWAY_MS = 5000;
/** Longest wait for the end of a run that was killed: its slot is held meanwhile, and large folders are slow to look through. */
const KEEP_MS = 15_000;
/** A host that is well is seen by somebody twice as often at least. */
const SEEN_SECONDS = 60;
const NEVER_SECONDS = 1e9;

type Key = { trialId: string; placement: number; fence?: number };

/**
 * Kills the run of a placement if it is still there, waits until it is gone, keeps its end, and frees its slot. What a host
 * that is away, or that launches just now, may still have of it is ended by a look, before that slot is lent again; on one that
 * left the fleet more than a day ago, where it is named again.
 */
export async function endRun(deps: ActivityDeps, key: Key): Promise<void> {
  const run = await deps.store.run.findRun(key);
  const isGone = !run || (await killRun(deps, key, run));
  const fence = key.fence ?? (await deps.store.slot.findLease(key.trialId))?.fence ?? run?.fence;
  if (fence === undefined) return;
  if (isGone) await deps.store.slot.freeSlot({ trialId: key.trialId, fence });
  else await deps.store.run.freeUnconfirmed({ ...key, fence });
}

/** False where something of it may be there, or come. */
async function killRun(deps: ActivityDeps, key: Key, run: Run): Promise<boolean> {
  const isOwn = deps.hosts.isOwnHost(run.host);
  const work = async (): Promise<boolean> => {
    await deps.hosts.computeOf(run.host).kill(key, Math.max(run.fence, key.fence ?? 0));
    deps.reach('run-killed');
    // Its directory may be in the making, which would fail without it as if the host had failed.
    if (run.launchedAt === null && !isOwn) return false;
    if (run.end === null) await Promise.race([keepEnd(deps, run), sleep(KEEP_MS, undefined, { ref: false })]);
    await deps.store.run.closeRun(key);
    const isRemoved = await removeRuns(deps, { ...key, host: run.host });
    deps.reach('run-removed');
    return isRemoved;
  };
  if (run.endedAt !== null && !isOwn && !(await isThere(deps, run.host))) return within(AWAY_MS, work);
  return withHostFailure(deps, run.host, { work, otherwise: async () => false });
}

/** Of what is stored meanwhile, by a follower that still lives, nothing is doubled: the rest is read once more. */
const TRIES = 3;

type From = { deps: ActivityDeps; compute: Compute; key: { trialId: string; placement: number }; signal: AbortSignal };

/** Stores what a run that is over, no trial's, has printed since it was last followed; repeated, it goes on where it was. */
async function keepOutput(from: From): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await readRest(from);
    } catch (error) {
      if (tries === TRIES || !isFenced(error)) throw error;
    }
}

const isFenced = (error: unknown): boolean => (error as { type?: unknown } | null)?.type === 'Fenced';

async function readRest({ deps: { store }, compute, key, signal }: From): Promise<void> {
  const [run, { job }] = await Promise.all([store.run.findRun(key), store.job.loadJob(key.trialId)]);
  if (!run || job.taskHash === null) return;
  const { task } = await store.task.loadTaskVersion(job.taskHash);
  const most = jobLimits(task, job.spec).outputBytes;
  const output = createOutputFollower({ store, key, run: { ...run, spec: job.spec }, most });
  for await (const event of compute.follow(key, run.logOffset, signal)) {
    if (event.type !== 'output') continue;
    output.push(event, () => undefined);
    // At once: a long output is not held in memory, and what is stored stays so whatever dies.
    await output.commit();
  }
  await output.flush();
}

/** What it has come to, and said, is kept, though nobody follows it any more; without that it is ended all the same. */
async function keepEnd(deps: ActivityDeps, run: Run): Promise<void> {
  const { trialId, placement, host } = run;
  const key = { trialId, placement };
  try {
    const compute = deps.hosts.computeOf(host);
    const { state } = await compute.inspect(key);
    // Before its end is stored, which says that nothing of it is missing.
    if (!isTrialId(trialId) && (state === 'ended' || state === 'lost'))
      await keepOutput({ deps, compute, key, signal: AbortSignal.timeout(KEEP_MS) });
    if (state !== 'ended') return;
    const { taskHash } = await loadLaunchableJob(deps, trialId);
    const { task } = await deps.store.task.loadTaskVersion(taskHash);
    // Its artefacts are for a score, and may take long to come.
    const unscored = { ...task, run: { ...task.run, artefacts: [] } };
    await collectRun({ deps, compute, task: unscored, key, run, first: true });
  } catch (error) {
    log.warn('the end of a run could not be kept', { ...key, host, error: String(error) });
  }
}

/** By all workers: this one may never have spoken to it. */
const isThere = async (deps: ActivityDeps, host: string): Promise<boolean> =>
  ((await deps.store.host.secondsSinceContact({ name: host, heardSecondsAgo: NEVER_SECONDS })) ?? Infinity) <=
  SEEN_SECONDS;

/** False where it fails, or takes longer: then it goes on by itself. */
async function within(ms: number, work: () => Promise<boolean>): Promise<boolean> {
  const tried = work().catch((error: unknown) => {
    log.warn('a run could not be cleared', { error: String(error) });
    return false;
  });
  return Promise.race([tried, sleep(ms, false, { ref: false })]);
}
