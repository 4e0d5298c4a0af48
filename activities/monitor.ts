import { ApplicationFailure } from '@temporalio/activity';
import type { FollowedRun } from '../db/run/run.ts';
import { attributeEnd, attributeLoss, hostDecides, NO_END } from '../domain/fault/attribute.ts';
import { describeContention } from '../domain/trial/contention.ts';
import { NEW_FILES, NEW_FILES_MB } from '../domain/agent/new-files.ts';
import { MOST_MUTABLE_BYTES } from '../domain/edit/mutable-size.ts';
import { shapeOf } from '../domain/job/shape-of.ts';
import { isTrialId } from '../domain/trial/ids.ts';
import type { Failure, TrialEnded } from '../domain/trial.ts';
import type { Task } from '../domain/task/task.ts';
import { FOLLOWING, type HostLoss, withHostLoss } from './host/with-host-failure.ts';
import { withHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import type { StoredEnd } from './run/collect.ts';
import { createAbortWatches } from './monitor/abort/abort-watches.ts';
import { withGateway } from './monitor/with-gateway.ts';
import { followRun, type LostRun, type FollowContext } from './monitor/follow-run.ts';
import { findShortageAfterRun } from './monitor/find-shortage-after-run.ts';
import { storeStoppedEnd } from './monitor/loss/store-stopped-end.ts';
import { loseRunToHost } from './monitor/loss/lose-run-to-host.ts';
import { releaseAndRemoveRun, loseRun, release, removeRunIfDiskFull } from './monitor/loss/lose-run.ts';
import { jobLimits } from './run/run-spec.ts';
import { createScoreTrial } from './score.ts';
import { scoreInMonitor, type ScorePlaces } from './score/score-in-monitor.ts';

export interface MonitorInput {
  jobId: string;
  placement: number;
}

/**
 * `lost`, `gone` and `contended` are the machine's fault: the trial is placed once more. `gone`: the machine is away,
 * or left the fleet. `ended`: the run is not scored yet.
 */
export type MonitorResult =
  { state: 'ended' | HostLoss | 'contended' | 'cancelled' } | { state: 'scored'; ended: TrialEnded };

type Followed = Exclude<MonitorResult, { state: 'scored' }>;

/** `ready`: the server serves since `at`, by the database's clock. Any other state: its run ended before it served. */
export type ReadyResult = Followed | { state: 'ready'; host: string; at: string };

const READY = { state: 'ready' } as const;
const ENDED = { state: 'ended' } as const;
const LOST = { state: 'lost' } as const;

/** `places`: limits how many runs are scored here at once; null if this worker does not score. */
export const createMonitorActivities = (deps: ActivityDeps, places: ScorePlaces | null) => {
  const openAbort = createAbortWatches(deps);
  const score = createScoreTrial(deps);
  const take = async (key: MonitorInput): Promise<FollowedRun> => {
    const taken = await deps.store.run.becomeFollower(key);
    if (!taken) throw ApplicationFailure.nonRetryable(`trial ${key.jobId} was never launched`, 'NotLaunched');
    return inWorkerTime(taken);
  };
  const follow = async (
    key: MonitorInput,
    run: FollowedRun,
    { signal, untilReady }: { signal: AbortSignal; untilReady: boolean },
  ): Promise<Followed | typeof READY> => {
    const { task: stored } = await deps.store.task.loadTaskVersion(run.taskHash);
    const task = isTrialId(key.jobId) ? stored : await followedTask(deps, stored, run);
    const limits = jobLimits(stored, run.spec);
    const watch: FollowContext = {
      deps,
      // A getter: a stored end can be judged after its host has left the fleet, when `computeOf` throws.
      get compute() {
        return deps.hosts.computeOf(run.host);
      },
      task,
      limits,
      key,
      run,
      openAbort,
      untilReady,
    };
    return withHostLoss<Followed | typeof READY>(deps, run.host, {
      patience: FOLLOWING,
      work: () => followToResult(watch, signal),
      // A probe ends what still runs there when the host is back.
      lost: async (loss) => {
        if (!(await deps.store.run.isFollower({ ...key, follower: run.follower })))
          // Retryable: this may be the newest attempt, if an older one woke up and took the run over.
          throw ApplicationFailure.retryable(`another attempt follows ${key.jobId}`, 'Fenced');
        await deps.store.run.freeUnconfirmed({ ...key, fence: run.fence });
        return { state: loss };
      },
    });
  };
  return {
    /** Follows a run to its end from the last committed offset, on any worker; collects its artefacts and scores it. */
    monitor: async (key: MonitorInput): Promise<MonitorResult> =>
      withHeartbeat(async (signal) => {
        const run = await take(key);
        // If the outcome is stored, only the result of an earlier attempt was lost: the host must not be judged again.
        const followed =
          run.end && run.settled ? ENDED : requireEnd(await follow(key, run, { signal, untilReady: false }));
        if (followed.state !== 'ended' || !places || !isTrialId(key.jobId)) return followed;
        const { follower } = run;
        const ended = await scoreInMonitor({ ...key, follower }, { places, score, signal });
        return ended ? { state: 'scored', ended } : followed;
      }),

    /** Follows the run of a server until the server reports that it serves. A repeated call returns the same result. */
    awaitReady: async (key: MonitorInput): Promise<ReadyResult> =>
      withHeartbeat(async (signal) => {
        const run = await take(key);
        if (run.readyAt === null) {
          const followed = await follow(key, run, { signal, untilReady: true });
          if (followed.state !== 'ready') return followed;
        }
        const { readyAt, host } = (await deps.store.run.findRun(key)) ?? run;
        if (readyAt === null) throw new Error(`Expected ${key.jobId} to be stored as ready, got no time`);
        return { state: 'ready', host, at: readyAt.toISOString() };
      }),
  };
};

/**
 * The run with its launch time on this worker's clock, which also times the run's lines. By the database's clock, which
 * may differ by seconds, lines could seem late, or earlier than the launch.
 */
function inWorkerTime(run: FollowedRun, now = Date.now()): FollowedRun {
  return run.secondsAgo === null ? run : { ...run, launchedAt: new Date(now - run.secondsAgo * 1000) };
}

/** The task in the form in which a job that is no trial is followed. An agent leaves the mutable files. */
async function followedTask({ store }: ActivityDeps, task: Task, { spec, taskHash }: FollowedRun): Promise<Task> {
  const command = asCommand(task);
  if (shapeOf(spec).agent === null) return command;
  const { mutablePaths, task: stored } = await store.task.loadTaskVersion(taskHash);
  const artefacts = mutablePaths.map((path) => ({ path, maxMb: MOST_MUTABLE_BYTES / 1024 / 1024 }));
  if (stored.edits.create.length > 0) artefacts.push({ path: NEW_FILES, maxMb: NEW_FILES_MB });
  return { ...command, run: { ...command.run, artefacts } };
}

/** The task in the form in which a command in its workspace is followed: nothing is measured or scored. */
function asCommand(task: Task): Task {
  const { run } = task;
  const command: Task = {
    ...task,
    evaluator: { type: 'none' },
    metric: { ...task.metric, from: 'evaluator' },
    run: {
      ...run,
      artefacts: [],
      budget: { ...run.budget, kind: 'wall' },
    },
  };
  delete command.progress;
  return command;
}

function requireEnd(followed: Followed | typeof READY): Followed {
  if (followed.state === 'ready') throw new Error('Expected a run that is followed to its end; got one that serves');
  return followed;
}

const isLost = (end: StoredEnd | LostRun): end is LostRun => 'lost' in end;

/**
 * Follows a run, unless its end is stored; then decides who is at fault for the end, and frees the slot accordingly.
 */
async function followToResult(watch: FollowContext, signal: AbortSignal): Promise<Followed | typeof READY> {
  const { deps, run, task } = watch;
  const end =
    (run.end as StoredEnd | null) ?? (await withGateway(watch, (calls) => followRun({ ...watch, calls }, signal)));
  if (end === 'ready') return READY;
  if (end === 'cancelled') {
    await release(watch);
    return { state: 'cancelled' };
  }
  if (run.shortage !== null) {
    // An earlier attempt lost the run to its host, and may have died before it freed the slot.
    await releaseAndRemoveRun(watch);
    return LOST;
  }
  const stop = await stopOf(watch);
  if (isLost(end)) return concludeWithoutEnd(watch, { stop, why: end.lost ?? NO_END });
  const facts = { task, end, stop };
  const lacks = hostDecides(facts) ? await findShortageAfterRun(watch, end) : null;
  const fault = attributeEnd({ ...facts, lacks });
  if (fault.party === 'host') {
    if (fault.cause !== 'killed') await loseRunToHost(watch, fault);
    else {
      await loseRun(watch, fault.words);
      await removeRunIfDiskFull(watch);
    }
    return LOST;
  }
  const isInteractive = task.evaluator.type === 'interactive';
  // The evaluator needs disk space on this machine, and reads collected artefacts only.
  if (!isInteractive && deps.hosts.isOwnHost(run.host)) await removeRunIfDiskFull(watch);
  const contended = fault.party === 'platform';
  if (contended) await storeContention(watch, end);
  // The slot stays leased while an interactive evaluator still has to question the candidate; never after a stop.
  if (contended || !isInteractive || end.reason === 'killed') {
    if (!deps.hosts.isOwnHost(run.host)) await deps.store.host.noteHostSuccess(run.host);
    await release(watch);
  }
  return { state: contended ? 'contended' : 'ended' };
}

/** Stores why the run is contended, for people. Throws if a newer attempt follows the run. */
async function storeContention({ deps, key, run }: FollowContext, end: StoredEnd): Promise<void> {
  const contention = describeContention(end);
  if (!(await deps.store.run.saveContention({ ...key, follower: run.follower, contention })))
    throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
}

/** Concludes a run whose end will never come: a stored stop may still stand as its end, otherwise the run is lost. */
async function concludeWithoutEnd(
  watch: FollowContext,
  { stop, why }: { stop: Failure | null; why: string },
): Promise<Followed> {
  const gone = await loseRun(watch, why);
  const fault = attributeLoss({ task: watch.task, stop, gone });
  if (fault.party !== 'host' && stop !== null) {
    await storeStoppedEnd(watch, stop);
    return ENDED;
  }
  await removeRunIfDiskFull(watch);
  return LOST;
}

/** The stored decision to stop the run, of this attempt or an earlier one. */
const stopOf = async ({ deps, key }: FollowContext): Promise<Failure | null> =>
  (await deps.store.run.findRun(key))?.stop ?? null;
