import { ApplicationFailure } from '@temporalio/activity';
import type { FollowedRun } from '../db/run/run.ts';
import { isTrialId } from '../domain/ids.ts';
import type { Failure, TrialEnded } from '../domain/trial.ts';
import { FOLLOWING, unlessAwayTooLong } from './host/at-host.ts';
import { withHeartbeat } from './beat.ts';
import type { ActivityDeps } from './deps.ts';
import type { StoredEnd } from './run/collect.ts';
import { diskFull } from './host/disk-full.ts';
import { asCommand } from './monitor/as-command.ts';
import { createAborts } from './monitor/abort/aborts.ts';
import { wasContended } from './monitor/contended.ts';
import { isDecided } from './monitor/decided.ts';
import { blame, filledByItself, isFilled } from './monitor/filled.ts';
import { followRun, type LostRun, type Watch } from './monitor/follow-run.ts';
import { byOwnClock } from './monitor/own-clock.ts';
import { leave } from './monitor/loss/leave.ts';
import { loseFor } from './monitor/loss/lose-for.ts';
import { lose } from './monitor/loss/lose.ts';
import { release } from './monitor/loss/release.ts';
import { removeRun } from './monitor/loss/remove-run.ts';
import { lacksRoom, shortageAfter } from './monitor/shortage.ts';
import { jobLimits } from './run/run-spec.ts';
import { createScoreTrial } from './score.ts';
import { scoreAtOnce, type ScorePlaces } from './score/at-once.ts';

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
/** Why a run is lost, where its supervisor does not say. */
const [NO_END, KILLED] = ['its supervisor left no end', 'somebody killed it'];

/** `places`: of a worker that also scores; null for one that only follows. */
export const createMonitorActivities = (deps: ActivityDeps, places: ScorePlaces | null) => {
  const openAbort = createAborts(deps);
  const score = createScoreTrial(deps);
  const take = async (key: MonitorInput): Promise<FollowedRun> => {
    const taken = await deps.store.run.takeOver(key);
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
    const watch: Watch = {
      deps,
      // A host that is no longer in the fleet is not needed to judge an end that is stored.
      get compute() {
        return deps.hosts.computeOf(run.host);
      },
      ...{ task, limits, key, run, openAbort, untilReady },
    };
    return unlessAwayTooLong<Followed | typeof READY>(deps, run.host, {
      patience: FOLLOWING,
      work: () => toEnd(watch, signal),
      // Whatever still runs there is ended when the host is back.
      lost: async () => {
        if (!(await deps.store.run.isFollower({ ...key, follower: run.follower })))
          // The newest attempt of all may read this, where an older one woke and took the run over.
          throw ApplicationFailure.retryable(`another attempt follows ${key.trialId}`, 'Fenced');
        const { stop = null, end = null } = (await deps.store.run.findRun(key)) ?? {};
        // Decided is decided; nothing of it has lived since.
        if (stop && isFilled(stop))
          await blame({ deps, task, limits, key, run, openAbort, untilReady }, { stop, end: end as StoredEnd | null });
        await deps.store.run.freeUnseen({ ...key, fence: run.fence });
        return { state: isFilled(stop) ? 'ended' : 'lost' };
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
        const ended = await scoreAtOnce({ ...key, follower }, { places, score, signal });
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

function toItsEnd(followed: Followed | typeof READY): Followed {
  if (followed.state === 'ready') throw new Error('Expected a run that is followed to its end; came one that serves');
  return followed;
}

const isLost = (end: StoredEnd | LostRun): end is LostRun => 'lost' in end;

async function toEnd(watch: Watch, signal: AbortSignal): Promise<Followed | typeof READY> {
  const { run, task } = watch;
  const { store } = watch.deps;
  const end = (run.end as StoredEnd | null) ?? (await followRun(watch, signal));
  if (end === 'ready') return READY;
  if (end === 'cancelled') {
    await release(watch);
    return { state: 'cancelled' };
  }
  const told = isLost(end) ? null : end;
  // By an attempt that died since, perhaps when half of the run was removed.
  if (run.stop && isFilled(run.stop)) return blamed(watch, { stop: run.stop, end: told });
  // Killed, and neither a rule nor a cancel asked for it: the machine was shut down, or somebody killed it by hand.
  const stop = await stopOf(watch);
  if (isLost(end) || (end.reason === 'killed' && stop === null)) {
    const own = await filledByItself(watch);
    if (own) return blamed(watch, { stop: own, end: told });
    const isGone = await lose(watch, isLost(end) ? (end.lost ?? NO_END) : KILLED);
    // Nobody may take for ended what may still run on a host that is away.
    if (isGone && isDecided(task, stop)) {
      await blame(watch, { stop, end: told });
      return { state: 'ended' };
    }
    // What is left is all that tells why: it stays to be looked at, where the host has room for it.
    await removeRun(watch, { where: lacksRoom });
    return LOST;
  }
  if (run.shortage !== null) {
    // Found by an attempt that died since, perhaps before it had freed the slot.
    await leave(watch);
    return LOST;
  }
  const shortage = await shortageAfter(watch, end);
  if (shortage !== null) {
    const own = await filledByItself(watch);
    if (own) return blamed(watch, { stop: own, end });
    await loseFor(watch, shortage);
    return LOST;
  }
  if (await leftNoRoom(watch)) {
    const own = await filledByItself(watch);
    if (own) return blamed(watch, { stop: own, end });
    // Scoring takes room, and what is scored was collected.
    if (task.evaluator.type !== 'interactive') await removeRun(watch);
  }
  const contended = wasContended(task, { end, stop });
  // One that was stopped has nothing to answer: its slot is free at once.
  const isAsked = !contended && task.evaluator.type === 'interactive' && end.reason !== 'killed';
  // The host is needed until it has answered.
  if (!isAsked && !watch.deps.hosts.isOwnHost(run.host)) await store.host.hostWorked(run.host);
  if (!isAsked) await release(watch);
  return { state: contended ? 'contended' : 'ended' };
}

async function blamed(watch: Watch, found: { stop: Failure; end: StoredEnd | null }): Promise<Followed> {
  const stands = await blame(watch, found);
  await release(watch);
  // One that was stopped for something else keeps what it holds until it is scored: another attempt weighs it again.
  await removeRun(watch, { where: () => Promise.resolve(isFilled(stands)) });
  return { state: 'ended' };
}

/** Whether a run of this machine, where it is scored, too, ended with a full disk, however well. */
const leftNoRoom = async ({ deps, run }: Watch): Promise<boolean> =>
  deps.hosts.isOwnHost(run.host) && (await diskFull(deps.machine.freeDisk)) !== null;

/** What it was decided to stop the run for, by this attempt or one before. */
const stopOf = async ({ deps, key }: Watch): Promise<Failure | null> =>
  (await deps.store.run.findRun(key))?.stop ?? null;
