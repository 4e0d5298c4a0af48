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

/**
 * Longest wait for a host without recent contact, if the run's end is stored and only a program that answers may still
 * run.
 */
const AWAY_MS = 5000;
/** Longest time to store the end of a killed run. Its slot is held meanwhile, and large folders take long to read. */
const KEEP_MS = 15_000;
/**
 * Time since the last contact up to which a host counts as present. Workers contact a healthy host at least twice as
 * often.
 */
const SEEN_SECONDS = 60;
const NEVER_SECONDS = 1e9;

type Key = { jobId: string; placement: number; fence?: number };

/**
 * Kills the run of a placement, waits until it is gone, stores its end, and frees its slot. If the host is away, or is
 * launching the run just now, a probe ends leftovers before the slot is lent again. On a host that left the fleet more
 * than a day ago, that happens when the host is added again.
 */
export async function endRun(deps: ActivityDeps, key: Key): Promise<void> {
  const run = await deps.store.run.findRun(key);
  const isGone = !run || (await killRun(deps, key, run));
  const fence = key.fence ?? (await deps.store.slot.findLease(key.jobId))?.fence ?? run?.fence;
  if (fence === undefined) return;
  if (isGone) await deps.store.slot.freeSlot({ jobId: key.jobId, fence });
  else await deps.store.run.freeUnconfirmed({ ...key, fence });
}

/** Kills a run and removes its directories. False if part of the run may still be there, or may still begin. */
async function killRun(deps: ActivityDeps, key: Key, run: Run): Promise<boolean> {
  const isOwn = deps.hosts.isOwnHost(run.host);
  const work = async (): Promise<boolean> => {
    await deps.hosts.computeOf(run.host).kill(key, Math.max(run.fence, key.fence ?? 0));
    deps.reach('run-killed');
    // A launch may still be making the run directory. Removing it now would fail that launch as if the host had failed.
    if (run.launchedAt === null && !isOwn) return false;
    if (run.end === null) await Promise.race([keepEnd(deps, run), sleep(KEEP_MS, undefined, { ref: false })]);
    await deps.store.run.closeRun(key);
    const isRemoved = await removeRuns(deps, { ...key, host: run.host });
    deps.reach('run-removed');
    return isRemoved;
  };
  if (run.endedAt !== null && !isOwn && !(await isPresent(deps, run.host))) return within(AWAY_MS, work);
  return withHostFailure(deps, run.host, { work, otherwise: async () => false });
}

/**
 * Attempts to read the rest of an output. A follower that is still alive may store part of it, which fails an attempt.
 */
const TRIES = 3;

interface OutputSource {
  deps: ActivityDeps;
  compute: Compute;
  key: { jobId: string; placement: number };
  signal: AbortSignal;
}

/**
 * Stores the output that an ended run, of a job other than a trial, has printed since it was last followed. Safe to
 * repeat.
 */
async function keepOutput(source: OutputSource): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await readRest(source);
    } catch (error) {
      if (tries === TRIES || !isFenced(error)) throw error;
    }
}

const isFenced = (error: unknown): boolean => (error as { type?: unknown } | null)?.type === 'Fenced';

async function readRest({ deps: { store }, compute, key, signal }: OutputSource): Promise<void> {
  const [run, { job }] = await Promise.all([store.run.findRun(key), store.job.loadJob(key.jobId)]);
  if (!run || job.taskHash === null) return;
  const { task } = await store.task.loadTaskVersion(job.taskHash);
  const most = jobLimits(task, job.spec).outputBytes;
  const output = createOutputFollower({ store, key, run: { ...run, spec: job.spec }, most });
  for await (const event of compute.follow(key, run.logOffset, signal)) {
    if (event.type !== 'output') continue;
    output.push(event, () => undefined);
    // Committed chunk by chunk: a long output is not held in memory, and a crash loses nothing.
    await output.commit();
  }
  await output.flush();
}

/** Stores the end, and the remaining output, of a run that no worker follows any more. A failure is only logged. */
async function keepEnd(deps: ActivityDeps, run: Run): Promise<void> {
  const { jobId, placement, host } = run;
  const key = { jobId, placement };
  try {
    const compute = deps.hosts.computeOf(host);
    const { state } = await compute.inspect(key);
    // Before the end is stored: a stored end means that the output is complete.
    if (!isTrialId(jobId) && (state === 'ended' || state === 'lost'))
      await keepOutput({ deps, compute, key, signal: AbortSignal.timeout(KEEP_MS) });
    if (state !== 'ended') return;
    const { taskHash } = await loadLaunchableJob(deps, jobId);
    const { task } = await deps.store.task.loadTaskVersion(taskHash);
    // Artefacts serve only a score, and may take long to transfer.
    const unscored = { ...task, run: { ...task.run, artefacts: [] } };
    await collectRun({ deps, compute, task: unscored, key, run, first: true });
  } catch (error) {
    log.warn('the end of a run could not be kept', { ...key, host, error: String(error) });
  }
}

/** True if any worker has contacted the host lately; this worker may never have. */
const isPresent = async (deps: ActivityDeps, host: string): Promise<boolean> =>
  ((await deps.store.host.secondsSinceContact({ name: host, secondsSinceAnswer: NEVER_SECONDS })) ?? Infinity) <=
  SEEN_SECONDS;

/** Result of work; false if it fails or takes longer than `ms`. Work that takes longer goes on in the background. */
async function within(ms: number, work: () => Promise<boolean>): Promise<boolean> {
  const result = work().catch((error: unknown) => {
    log.warn('a run could not be cleared', { error: String(error) });
    return false;
  });
  return Promise.race([result, sleep(ms, false, { ref: false })]);
}
