import { ApplicationFailure } from '@temporalio/activity';
import type { FollowedRun } from '../../db/run/run.ts';
import { tooSlow } from '../../domain/abort/too-slow.ts';
import type { CurvePoint } from '../../domain/abort/types.ts';
import { isTrialId } from '../../domain/trial/ids.ts';
import type { Failure } from '../../domain/trial.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Compute, RunLimits } from '../../infra/compute.ts';
import { isCancelRequested } from '../with-heartbeat.ts';
import { collectRun, type StoredEnd } from '../run/collect.ts';
import type { ActivityDeps } from '../deps.ts';
import type { AbortWatch } from './abort/abort-watch.ts';
import type { OpenAbort } from './abort/abort-watches.ts';
import { createFollower, type Follower } from './follow/follower.ts';
import { createOutputFollower } from './follow/output-follower.ts';
import { createOverdue } from './follow/overdue.ts';
import { createStopper, type Stopper } from './follow/stopper.ts';

export interface FollowContext {
  deps: ActivityDeps;
  compute: Compute;
  task: Task;
  limits: RunLimits;
  key: { trialId: string; placement: number };
  run: FollowedRun;
  openAbort: OpenAbort;
  /** Of a server: it is followed until it has said that it serves. */
  untilReady: boolean;
}

/** A run of which no end will come, and what its supervisor said of that. */
export interface LostRun {
  lost: string | undefined;
}

const EVERY_MS = 500;

/** Does each piece of work twice a second until told to stop: none twice at a time, and none waits for another. */
export function startRounds(works: readonly (() => Promise<void>)[], fail: (error: unknown) => void): () => void {
  const guarded = works.map(oneAtATime);
  const round = setInterval(() => {
    for (const work of guarded) work().catch(fail);
  }, EVERY_MS);
  return () => clearInterval(round);
}

/** Whoever asks while the work is under way waits for that. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let busy: Promise<void> | undefined;
  return () => (busy ??= work().finally(() => (busy = undefined)));
}

/** Reads the run's output into points until it ends; what the rules decide is stored before it is done. */
export async function followRun(
  watch: FollowContext,
  signal: AbortSignal,
): Promise<StoredEnd | LostRun | 'cancelled' | 'ready'> {
  const { deps, compute, key, run, task } = watch;
  const { abort, curve } = await watch.openAbort(run, task);
  const follower = followerOf(watch, curve);
  const failing = new AbortController();
  const fail = (error: unknown): void => failing.abort(error);
  const stopper = createStopper({ ...deps, compute, key, run, fail });
  if (run.stop) stopper.decide(run.stop);
  const stopRounds = startRounds(roundsOf(watch, { follower, stopper, abort }), fail);
  const overdue = createOverdue(watch, fail);
  /** A decision that is stored, or being stored, comes before the end, or the loss; another one comes not at all. */
  const conclude = async (): Promise<void> => {
    stopRounds();
    failing.signal.throwIfAborted();
    const decided = await abort?.close();
    if (decided) await stopper.note(decided);
  };
  try {
    for await (const event of compute.follow(key, follower.from, AbortSignal.any([signal, failing.signal]))) {
      if (event.type === 'looked') {
        follower.markPolled();
        overdue.markPolled();
        if (!watch.untilReady || follower.isReady?.() !== true) continue;
        await follower.flush();
        return 'ready';
      }
      deps.reach('mid-run');
      if (event.type === 'output') follower.push(event, stopper.decide);
      else {
        await conclude();
        return event.type === 'lost' ? { lost: event.why ?? overdue.why() } : await collect(watch, follower);
      }
    }
  } finally {
    stopRounds();
    abort?.leave();
    await Promise.all([stopper.done(), overdue.done()]);
  }
  if (!isCancelRequested()) {
    failing.signal.throwIfAborted();
    throw ApplicationFailure.retryable('detached from the run; the next attempt re-attaches', 'Detached');
  }
  await compute.kill(key, run.fence);
  if ((await compute.inspect(key)).state === 'lost') return { lost: undefined };
  await collect(watch, follower);
  return 'cancelled';
}

/** A trial's output is read into points; that of another job is kept as it is, for whoever waits for it. */
function followerOf({ deps, key, run, task, limits }: FollowContext, curve: CurvePoint[] | null): Follower {
  const { store, scoring } = deps;
  if (!isTrialId(key.trialId)) return createOutputFollower({ store, key, run, most: limits.outputBytes });
  return createFollower({ store, withinTime: scoring.withinTime, key, run, task, curve });
}

/** What is done twice a second: the hard rules, the commit, the rule of early abort. */
function roundsOf(
  { deps, task, limits }: FollowContext,
  { follower, stopper, abort }: { follower: Follower; stopper: Stopper; abort: AbortWatch | null },
): (() => Promise<void>)[] {
  return [
    async () => {
      const broken = follower.broken() ?? slowness(task, { points: follower.points, limits });
      if (broken) stopper.decide(broken);
    },
    () => follower.commit(),
    async () => {
      const lost = await abort?.look(follower.points);
      if (!lost) return;
      deps.reach('abort-decided');
      stopper.decide(lost);
    },
  ];
}

/** The hard rule "slower than the budget allows". */
function slowness(
  task: Task,
  { points, limits: { wallSeconds } }: { points: readonly CurvePoint[]; limits: RunLimits },
): Failure | null {
  const steps = task.progress?.steps;
  if (steps === undefined || wallSeconds === null) return null;
  const message = tooSlow(points, { steps, seconds: wallSeconds });
  return message === null ? null : { label: 'too-slow', message };
}

async function collect(watch: FollowContext, follower: Follower): Promise<StoredEnd> {
  watch.deps.reach('run-ended');
  await follower.flush();
  return collectRun(watch);
}
