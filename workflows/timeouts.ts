import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';
import { QUEUES } from '../domain/messages/names.ts';

/** Timeouts and retry policies, one per class of activity. `tempo` shortens them all, heartbeats to five seconds at the least, for tests. */
export const optionsOf = (tempo: number) => {
  const ms = (milliseconds: number): number => Math.max(100, Math.round(milliseconds * tempo));
  // Beats go out every three seconds (HEARTBEAT_THROTTLE): with less than five, a worker that stalls for a moment is taken for dead.
  const beat = (milliseconds: number): number => Math.max(5000, ms(milliseconds));
  return {
    /** A few rows and a commit; a database that is away for a while is waited for. */
    short: {
      taskQueue: QUEUES.main,
      startToCloseTimeout: ms(20_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 2, maximumInterval: ms(30_000) },
    },
    /** Reads a task folder, kills a run, waits for a tree to be gone. The heartbeat finds a dead worker. */
    slow: {
      taskQueue: QUEUES.main,
      startToCloseTimeout: 120_000,
      heartbeatTimeout: beat(30_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 2, maximumInterval: ms(30_000) },
    },
    /** A look at the database, at Temporal and at hosts, which may kill or remove what was left there. The heartbeat finds a dead worker. */
    look: {
      taskQueue: QUEUES.main,
      startToCloseTimeout: 120_000,
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 2, maximumInterval: ms(30_000) },
    },
    /** A task's setup commands, a day at most, tried more than once, and each after those of others there; the heartbeat finds a dead worker. The activity says when a setup is broken. */
    prepare: {
      // It mostly waits: on the main queue a fleet that sets up would take the places of all researches.
      taskQueue: QUEUES.monitor,
      startToCloseTimeout: '30 days',
      heartbeatTimeout: beat(10_000),
      // Deploys, dead workers and an absent database take attempts, too.
      retry: {
        ...{ initialInterval: ms(2000), maximumInterval: ms(60_000), maximumAttempts: 200 },
        nonRetryableErrorTypes: ['SetupFailedError'],
      },
    },
    /** Up to ten calls of a model, each with its own hard deadline of an hour at most; a dead endpoint is retried without end, once a minute, at no cost in history. */
    propose: {
      taskQueue: QUEUES.propose,
      startToCloseTimeout: '11 hours',
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(2000), backoffCoefficient: 2, maximumInterval: ms(60_000) },
    },
    /**
     * Waits in the backlog for a slot without a limit; once begun it takes milliseconds, or the copy of a workspace.
     * One attempt: a second one would wait for a free slot while the trial may hold one; the workflow looks first.
     */
    launch: {
      startToCloseTimeout: '10 minutes',
      heartbeatTimeout: beat(10_000),
      retry: { maximumAttempts: 1 },
    },
    /** The same work on a slot that is held already. */
    start: {
      taskQueue: QUEUES.main,
      startToCloseTimeout: '10 minutes',
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(500), backoffCoefficient: 2, maximumInterval: ms(10_000) },
    },
    /** Follows a run to its end, however long; a dead worker is noticed within the heartbeat and costs a re-attach. */
    monitor: {
      taskQueue: QUEUES.monitor,
      startToCloseTimeout: '30 days',
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 1 },
    },
    /** One step of a policy, a day at most; a server that is away is waited for. The heartbeat finds a dead worker. */
    update: {
      taskQueue: QUEUES.update,
      startToCloseTimeout: '24 hours',
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(2000), backoffCoefficient: 2, maximumInterval: ms(60_000) },
    },
    /** The evaluator has its own limit, a day at most; a dead worker is noticed within the heartbeat. */
    score: {
      taskQueue: QUEUES.score,
      startToCloseTimeout: '26 hours',
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 2, maximumInterval: ms(30_000) },
    },
  } satisfies Record<string, ActivityOptions>;
};

/** For work of a few rows inside a workflow task: no event, no queue. Where it fails, the ordinary activity takes over. */
export const localOptions = (tempo: number): LocalActivityOptions => ({
  startToCloseTimeout: Math.max(1000, Math.round(5000 * tempo)),
  retry: { maximumAttempts: 1 },
});

/** Time between two looks at trials in flight. */
export const reconcileEvery = (tempo: number): number => Math.max(500, Math.round(60_000 * tempo));

/** Pause between two launches of a trial, in ms, longer each time: the database or the offer was not there. */
export const relaunchAfter = (failures: number, tempo: number): number =>
  Math.min(30_000, Math.round(500 * 2 ** Math.min(failures, 6) * tempo));

/** Pause after hosts have refused a trial's task so many times, in ms: good ones may be free by then. */
export const askAgainAfter = (refusals: number, tempo: number): number =>
  Math.round(Math.min(300_000, 5000 * 2 ** (refusals - 1)) * tempo);
