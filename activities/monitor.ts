import { ApplicationFailure } from '@temporalio/activity';
import type { FollowedRun } from '../db/queries/run.ts';
import { tooSlow } from '../domain/abort/too-slow.ts';
import type { CurvePoint } from '../domain/abort/types.ts';
import { isContended } from '../domain/outcome.ts';
import type { Failure } from '../domain/trial.ts';
import type { Task } from '../domain/task/task.ts';
import type { Compute, RunEnd } from '../infra/compute.ts';
import { isCancelRequested, withHeartbeat } from './beat.ts';
import { collectRun } from './collect.ts';
import type { ActivityDeps } from './deps.ts';
import { createAborts, type OpenAbort } from './monitor/aborts.ts';
import { createFollower, type Follower } from './monitor/follower.ts';
import { oneAtATime } from './monitor/one-at-a-time.ts';
import { limitsOf } from './run-spec.ts';

export interface MonitorInput {
  trialId: string;
  placement: number;
}

/** `lost` and `contended` are the machine's fault: the trial is placed once more. */
export type MonitorResult = { state: 'ended' | 'lost' | 'contended' | 'cancelled' };

type Watch = {
  deps: ActivityDeps;
  compute: Compute;
  task: Task;
  key: MonitorInput;
  run: FollowedRun;
  openAbort: OpenAbort;
};

export const createMonitorActivities = (deps: ActivityDeps) => {
  const openAbort = createAborts(deps);
  return {
    /** Follows a run to its end from the last committed offset, on any worker, and collects what it left. */
    monitor: async (key: MonitorInput): Promise<MonitorResult> =>
      withHeartbeat(async (signal) => {
        const run = await deps.store.takeOver(key);
        if (!run) throw ApplicationFailure.nonRetryable(`trial ${key.trialId} was never launched`, 'NotLaunched');
        const { task } = await deps.store.loadTaskVersion(run.taskHash);
        const watch = { deps, compute: deps.computeOf(run.host), task, key, run, openAbort };
        const end = (run.end as RunEnd | null) ?? (await follow(watch, signal));
        if (end === 'cancelled') {
          await release(watch);
          return { state: 'cancelled' };
        }
        if (end === 'lost' || (await wasKilledByOthers(watch, end))) {
          // What a dead supervisor left behind must not run on beside the next placement.
          await watch.compute.kill(key, run.fence);
          await release(watch);
          return { state: 'lost' };
        }
        const contended = task.run.budget.kind === 'cpu' && isContended(end);
        // One that was stopped has nothing to answer: its slot is free at once.
        if (contended || task.evaluator.type !== 'interactive' || end.reason === 'killed') await release(watch);
        return { state: contended ? 'contended' : 'ended' };
      }),
  };
};

/** Killed, and neither a rule nor a cancel asked for it: the machine was shut down, or somebody killed it by hand. */
async function wasKilledByOthers({ deps, key }: Watch, end: RunEnd): Promise<boolean> {
  return end.reason === 'killed' && ((await deps.store.findRun(key))?.stop ?? null) === null;
}

const release = async ({ deps, key }: Watch): Promise<void> => deps.store.freeSlotOf(key);

/** Reads the run's output into points until it ends; what the rules decide is stored before it is done. */
async function follow(watch: Watch, signal: AbortSignal): Promise<RunEnd | 'lost' | 'cancelled'> {
  const { deps, compute, key, run } = watch;
  const { abort, before } = await watch.openAbort(run);
  const { store, withinTime } = deps;
  const follower = createFollower({ store, withinTime, key, run, progress: watch.task.progress, before });
  const stop = new AbortController();
  const watching = AbortSignal.any([signal, stop.signal]);
  let stopping: Promise<void> | undefined;
  const decide = (failure: Failure): void => {
    stopping ??= stopRun(watch, failure);
    stopping.catch(() => stop.abort());
  };
  if (run.stop) decide(run.stop);
  const look = oneAtATime(async () => {
    await follower.tick(decide);
    const slow = slowness(watch.task, follower.points);
    if (slow) return decide(slow);
    const lost = await abort?.look(follower.points);
    if (!lost) return;
    deps.reach('abort-decided');
    decide(lost);
  });
  let broken: Error | undefined;
  let looking = Promise.resolve();
  const lookNow = (): Promise<void> =>
    look().catch((error: unknown) => {
      broken ??= error instanceof Error ? error : new Error(String(error));
      stop.abort();
    });
  const tick = setInterval(() => void (looking = lookNow()), 500);
  try {
    for await (const event of compute.follow(key, run.logOffset, watching)) {
      deps.reach('mid-run');
      if (event.type === 'output') follower.push(event.chunk, decide);
      else if (event.type === 'lost') return 'lost';
      else {
        // A decision under way comes before the end, or not at all.
        clearInterval(tick);
        await looking;
        if (broken) throw broken;
        const decided = await abort?.close();
        if (decided) await saveStop(watch, decided);
        return await ended(watch, follower);
      }
    }
  } finally {
    clearInterval(tick);
    await stopping;
  }
  if (!isCancelRequested() && broken) throw broken;
  if (!isCancelRequested())
    throw ApplicationFailure.retryable('detached from the run; the next attempt re-attaches', 'Detached');
  await compute.kill(key, run.fence);
  return (await compute.inspect(key)).state === 'lost'
    ? 'lost'
    : await ended(watch, follower).then(() => 'cancelled' as const);
}

/** The hard rule "slower than the budget allows". */
function slowness(task: Task, points: readonly CurvePoint[]): Failure | null {
  const steps = task.progress?.steps;
  const message = steps === undefined ? null : tooSlow(points, { steps, seconds: limitsOf(task).wallSeconds });
  return message === null ? null : { label: 'too-slow', message };
}

async function ended(watch: Watch, follower: Follower): Promise<RunEnd> {
  watch.deps.reach('run-ended');
  await follower.flush();
  return collectRun(watch);
}

/** Stores the decision, then carries it out: TERM, grace, KILL of the tree on the host. */
async function stopRun(watch: Watch, failure: Failure): Promise<void> {
  await saveStop(watch, failure);
  await watch.compute.kill(watch.key, watch.run.fence);
}

async function saveStop({ deps, key, run }: Watch, failure: Failure): Promise<void> {
  const decided = await deps.store.saveStop({ ...key, follower: run.follower, stop: failure });
  if (!decided) throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
}
