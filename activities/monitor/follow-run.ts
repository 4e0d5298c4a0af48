import { ApplicationFailure } from '@temporalio/activity';
import type { FollowedRun } from '../../db/run/run.ts';
import type { CurvePoint } from '../../domain/abort/types.ts';
import { shapeOf } from '../../domain/job/shape-of.ts';
import { isTrialId } from '../../domain/trial/ids.ts';
import type { Task } from '../../domain/task/task.ts';
import type { RunLimits } from '../../domain/job/run-limits.ts';
import type { Compute } from '../../infra/compute.ts';
import { isCancelRequested } from '../with-heartbeat.ts';
import { collectRun, type StoredEnd } from '../run/collect.ts';
import type { ActivityDeps } from '../deps.ts';
import type { AbortWatch } from './abort/abort-watch.ts';
import type { OpenAbort } from './abort/abort-watches.ts';
import { createFollower, type Follower } from './follow/follower.ts';
import { createOutputFollower } from './follow/output-follower.ts';
import { createOverdue } from './follow/overdue.ts';
import { createSlowness } from './follow/slowness.ts';
import { type AgentCalls, createStall, type Stall } from './follow/stall.ts';
import { createStopper, type Stopper } from './follow/stopper.ts';

export interface FollowContext {
  deps: ActivityDeps;
  compute: Compute;
  task: Task;
  limits: RunLimits;
  key: { jobId: string; placement: number };
  run: FollowedRun;
  openAbort: OpenAbort;
  /** Calls of the run's agent; null for any other run, absent before the gateway is opened. */
  calls?: AgentCalls | null;
  /** True for a server that is followed only until it serves. */
  untilReady: boolean;
}

/** A run whose end will never come, with the reason that its supervisor gave; undefined: no reason. */
export interface LostRun {
  lost: string | undefined;
}

const EVERY_MS = 500;

/**
 * Calls each function twice a second until the returned function is called. A call is skipped while the same function
 * is still at work, and no function waits for another.
 */
export function startRounds(works: readonly (() => Promise<void>)[], fail: (error: unknown) => void): () => void {
  const guarded = works.map(oneAtATime);
  const round = setInterval(() => {
    for (const work of guarded) work().catch(fail);
  }, EVERY_MS);
  return () => clearInterval(round);
}

/** Joins calls: a call while the work is under way waits for that work. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let busy: Promise<void> | undefined;
  return () => (busy ??= work().finally(() => (busy = undefined)));
}

/**
 * Reads the run's output into points until the run ends. A decision to stop the run is stored before it is carried out.
 */
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
  const stall = stallOf(watch);
  const stopRounds = startRounds(roundsOf(watch, { follower, stopper, abort, stall }), fail);
  const overdue = createOverdue(watch, fail);
  /**
   * Waits for a decision that is being stored, so that it precedes the end or the loss. Later decisions are dropped.
   */
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
      if (event.type === 'output') {
        stall?.printed();
        follower.push(event, stopper.decide);
      } else {
        await conclude();
        return event.type === 'lost' ? { lost: event.why ?? overdue.why() } : await collect(watch, follower);
      }
    }
  } finally {
    stopRounds();
    abort?.abandon();
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

/** The reader of a run's output: a trial's output becomes points, another job's output is stored as it is. */
function followerOf({ deps, key, run, task, limits }: FollowContext, curve: CurvePoint[] | null): Follower {
  const { store, scoring } = deps;
  if (!isTrialId(key.jobId)) return createOutputFollower({ store, key, run, most: limits.outputBytes });
  return createFollower({ store, withinTime: scoring.withinTime, key, run, task, curve });
}

interface Rounds {
  follower: Follower;
  stopper: Stopper;
  abort: AbortWatch | null;
  stall: Stall | null;
}

/** The watch for a silent agent; null for any other run. */
function stallOf({ calls = null, run }: FollowContext): Stall | null {
  const { agent } = shapeOf(run.spec);
  return calls && agent && createStall({ calls, seconds: agent.limits.stallSeconds });
}

/** Work of each half second: the hard rules, the commit, the rule of early abort. */
function roundsOf(watch: FollowContext, { follower, stopper, abort, stall }: Rounds): (() => Promise<void>)[] {
  const slownessOf = createSlowness(watch);
  return [
    async () => {
      const broken = follower.broken() ?? stall?.find();
      if (broken) stopper.decide(broken);
    },
    async () => {
      const slow = await slownessOf(follower.points);
      if (slow) stopper.decide(slow);
    },
    () => follower.commit(),
    async () => {
      const lost = await abort?.look(follower.points);
      if (!lost) return;
      watch.deps.reach('abort-decided');
      stopper.decide(lost);
    },
  ];
}

async function collect(watch: FollowContext, follower: Follower): Promise<StoredEnd> {
  watch.deps.reach('run-ended');
  await follower.flush();
  return collectRun(watch);
}
