import { ApplicationFailure } from '@temporalio/activity';
import type { FollowedRun } from '../db/run/run.ts';
import { attributeEnd, attributeLoss, hostDecides, NO_END } from '../domain/fault/attribute.ts';
import { isTrialId } from '../domain/trial/ids.ts';
import type { Failure, TrialEnded } from '../domain/trial.ts';
import type { Task } from '../domain/task/task.ts';
import { FOLLOWING, withHostLoss } from './host/with-host-failure.ts';
import { withHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import type { StoredEnd } from './run/collect.ts';
import { createAbortWatches } from './monitor/abort/abort-watches.ts';
import { followRun, type LostRun, type FollowContext } from './monitor/follow-run.ts';
import { findShortageAfterRun } from './monitor/find-shortage-after-run.ts';
import { storeStoppedEnd } from './monitor/loss/store-stopped-end.ts';
import { loseRunToHost } from './monitor/loss/lose-run-to-host.ts';
import { releaseAndRemoveRun, loseRun, release, removeRunIfDiskFull } from './monitor/loss/lose-run.ts';
import { jobLimits } from './run/run-spec.ts';
import { createScoreTrial } from './score.ts';
import { scoreInMonitor, type ScorePlaces } from './score/score-in-monitor.ts';

export interface MonitorInput {
  trialId: string;
  placement: number;
}

/** `lost` and `contended` are the machine's fault: the trial is placed once more. `ended`: it is still to be scored. */
export type MonitorResult =
  { state: 'ended' | 'lost' | 'contended' | 'cancelled' } | { state: 'scored'; ended: TrialEnded };

type Followed = Exclude<MonitorResult, { state: 'scored' }>;

/** `ready`: it serves, and goes on; since when, by the database's clock. Otherwise it came to an end before that. */
export type ReadyResult = Followed | { state: 'ready'; host: string; at: string };

const READY = { state: 'ready' } as const;
const ENDED = { state: 'ended' } as const;
const LOST = { state: 'lost' } as const;

/** `places`: of a worker that also scores; null for one that only follows. */
export const createMonitorActivities = (deps: ActivityDeps, places: ScorePlaces | null) => {
  const openAbort = createAbortWatches(deps);
  const score = createScoreTrial(deps);
  const take = async (key: MonitorInput): Promise<FollowedRun> => {
    const taken = await deps.store.run.becomeFollower(key);
    if (!taken) throw ApplicationFailure.nonRetryable(`trial ${key.trialId} was never launched`, 'NotLaunched');
    return byOwnClock(taken);
  };
  const follow = async (
    key: MonitorInput,
    run: FollowedRun,
    { signal, untilReady }: { signal: AbortSignal; untilReady: boolean },
  ): Promise<Followed | typeof READY> => {
    const { task: stored } = await deps.store.task.loadTaskVersion(run.taskHash);
    const task = isTrialId(key.trialId) ? stored : asCommand(stored);
    const limits = jobLimits(stored, run.spec);
    const watch: FollowContext = {
      deps,
      // A host that is no longer in the fleet is not needed to judge an end that is stored.
      get compute() {
        return deps.hosts.computeOf(run.host);
      },
      ...{ task, limits, key, run, openAbort, untilReady },
    };
    return withHostLoss<Followed | typeof READY>(deps, run.host, {
      patience: FOLLOWING,
      work: () => toEnd(watch, signal),
      // Whatever still runs there is ended when the host is back.
      lost: async () => {
        if (!(await deps.store.run.isFollower({ ...key, follower: run.follower })))
          // The newest attempt of all may read this, where an older one woke and took the run over.
          throw ApplicationFailure.retryable(`another attempt follows ${key.trialId}`, 'Fenced');
        await deps.store.run.freeUnconfirmed({ ...key, fence: run.fence });
        return LOST;
      },
    });
  };
  return {
    /** Follows a run to its end from the last committed offset, on any worker, collects what it left, and scores it. */
    monitor: async (key: MonitorInput): Promise<MonitorResult> =>
      withHeartbeat(async (signal) => {
        const run = await take(key);
        // A worker may have died between the outcome and its answer; of the machine nothing is decided any more.
        const followed =
          run.end && run.settled ? ENDED : toItsEnd(await follow(key, run, { signal, untilReady: false }));
        if (followed.state !== 'ended' || !places || !isTrialId(key.trialId)) return followed;
        const { follower } = run;
        const ended = await scoreInMonitor({ ...key, follower }, { places, score, signal });
        return ended ? { state: 'scored', ended } : followed;
      }),

    /** Follows the run of a server until it has said that it serves; repeated, it says so again. */
    awaitReady: async (key: MonitorInput): Promise<ReadyResult> =>
      withHeartbeat(async (signal) => {
        const run = await take(key);
        if (run.readyAt === null) {
          const followed = await follow(key, run, { signal, untilReady: true });
          if (followed.state !== 'ready') return followed;
        }
        const { readyAt, host } = (await deps.store.run.findRun(key)) ?? run;
        if (readyAt === null) throw new Error(`Expected ${key.trialId} to be stored as ready, came no time`);
        return { state: 'ready', host, at: readyAt.toISOString() };
      }),
  };
};

/**
 * The run with its launch on the clock of this process, which times its lines: the database's may be seconds off, and the
 * lines would seem to have come late, or before the launch.
 */
function byOwnClock(run: FollowedRun, now = Date.now()): FollowedRun {
  return run.secondsAgo === null ? run : { ...run, launchedAt: new Date(now - run.secondsAgo * 1000) };
}

/** A task as whoever follows a command in its workspace sees it: nothing is measured or scored. */
function asCommand(task: Task): Task {
  const { run } = task;
  const own: Task = {
    ...task,
    evaluator: { type: 'none' },
    metric: { ...task.metric, from: 'evaluator' },
    run: {
      ...run,
      artefacts: [],
      budget: { ...run.budget, kind: 'wall' },
    },
  };
  delete own.progress;
  return own;
}

function toItsEnd(followed: Followed | typeof READY): Followed {
  if (followed.state === 'ready') throw new Error('Expected a run that is followed to its end; came one that serves');
  return followed;
}

const isLost = (end: StoredEnd | LostRun): end is LostRun => 'lost' in end;

async function toEnd(watch: FollowContext, signal: AbortSignal): Promise<Followed | typeof READY> {
  const { deps, run, task } = watch;
  const end = (run.end as StoredEnd | null) ?? (await followRun(watch, signal));
  if (end === 'ready') return READY;
  if (end === 'cancelled') {
    await release(watch);
    return { state: 'cancelled' };
  }
  if (run.shortage !== null) {
    // An attempt that died held the end against the host, and may not have freed the slot.
    await releaseAndRemoveRun(watch);
    return LOST;
  }
  const stop = await stopOf(watch);
  if (isLost(end)) return withoutEnd(watch, { stop, why: end.lost ?? NO_END });
  const lacks = hostDecides({ task, end, stop }) ? await findShortageAfterRun(watch, end) : null;
  const fault = attributeEnd({ task, end, stop, lacks });
  if (fault.party === 'host') {
    if (fault.cause !== 'killed') await loseRunToHost(watch, fault);
    else {
      await loseRun(watch, fault.words);
      await removeRunIfDiskFull(watch);
    }
    return LOST;
  }
  const isInteractive = task.evaluator.type === 'interactive';
  // The evaluator needs room on this machine. All that it reads was collected.
  if (!isInteractive && deps.hosts.isOwnHost(run.host)) await removeRunIfDiskFull(watch);
  const contended = fault.party === 'platform';
  // The host is needed until the program has answered. A run that was stopped has nothing to answer.
  if (contended || !isInteractive || end.reason === 'killed') {
    if (!deps.hosts.isOwnHost(run.host)) await deps.store.host.noteHostSuccess(run.host);
    await release(watch);
  }
  return { state: contended ? 'contended' : 'ended' };
}

/** Concludes a run of which no end will come. */
async function withoutEnd(
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

/** The decision to stop the run, by this attempt or an earlier one. */
const stopOf = async ({ deps, key }: FollowContext): Promise<Failure | null> =>
  (await deps.store.run.findRun(key))?.stop ?? null;
