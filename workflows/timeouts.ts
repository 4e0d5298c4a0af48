import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';
import { QUEUES } from '../domain/messages/names.ts';

/**
 * Timeouts and retry policies, one for each class of activities. `tempo` shortens them in tests; heartbeat timeouts
 * stay at five seconds or more.
 */
export const optionsOf = (tempo: number) => {
  const ms = (milliseconds: number): number => Math.max(100, Math.round(milliseconds * tempo));
  // Workers send heartbeats every three seconds (HEARTBEAT_THROTTLE). Below five, a short stall would count as a dead
  // worker.
  const beat = (milliseconds: number): number => Math.max(5000, ms(milliseconds));
  return {
    /** Writes a few rows; retried while the database is away. */
    short: {
      taskQueue: QUEUES.main,
      startToCloseTimeout: ms(20_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 2, maximumInterval: ms(30_000) },
    },
    /** Reads a task folder, kills a run, or waits until its processes are gone. The heartbeat reveals a dead worker. */
    slow: {
      taskQueue: QUEUES.main,
      startToCloseTimeout: 120_000,
      heartbeatTimeout: beat(30_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 2, maximumInterval: ms(30_000) },
    },
    /** Compares database, Temporal and hosts, and may kill or remove leftovers. The heartbeat reveals a dead worker. */
    look: {
      taskQueue: QUEUES.main,
      startToCloseTimeout: 120_000,
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 2, maximumInterval: ms(30_000) },
    },
    /** Sends messages, at most a minute for each sink at once. The heartbeat reveals a dead worker. */
    tend: {
      taskQueue: QUEUES.main,
      startToCloseTimeout: '5 minutes',
      heartbeatTimeout: beat(30_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 2, maximumInterval: ms(60_000) },
    },
    /**
     * Runs a task's setup commands, a day at most, with retries, and after the setups of others on the host. The
     * heartbeat reveals a dead worker. The activity itself decides when a setup is broken.
     */
    prepare: {
      // Mostly waits. On the main queue, setups of a fleet would block the activities of all researches.
      taskQueue: QUEUES.monitor,
      startToCloseTimeout: '30 days',
      heartbeatTimeout: beat(10_000),
      // Many attempts: deploys, dead workers and an absent database take some, too.
      retry: {
        initialInterval: ms(2000),
        maximumInterval: ms(60_000),
        maximumAttempts: 200,
        nonRetryableErrorTypes: ['SetupFailedError'],
      },
    },
    /**
     * Makes up to ten model calls, each with a deadline of an hour at most. While the endpoint is down it is retried
     * without end, once a minute, which adds no events to the history.
     */
    propose: {
      taskQueue: QUEUES.propose,
      startToCloseTimeout: '11 hours',
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(2000), backoffCoefficient: 2, maximumInterval: ms(60_000) },
    },
    /**
     * Waits in the queue for a slot without a limit; once begun, it takes milliseconds or the time to copy a workspace.
     * One attempt: a second one would wait for a free slot while the trial may hold one. The workflow calls `start`
     * first.
     */
    launch: {
      startToCloseTimeout: '10 minutes',
      heartbeatTimeout: beat(10_000),
      retry: { maximumAttempts: 1 },
    },
    /** Starts a run on a slot that the trial holds already. */
    start: {
      taskQueue: QUEUES.main,
      startToCloseTimeout: '10 minutes',
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(500), backoffCoefficient: 2, maximumInterval: ms(10_000) },
    },
    /** Follows a run to its end, however long. The heartbeat reveals a dead worker, which costs a re-attach. */
    monitor: {
      taskQueue: QUEUES.monitor,
      startToCloseTimeout: '30 days',
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 1 },
    },
    /**
     * Trains one step of a policy, a day at most; retried while the server is away. The heartbeat reveals a dead
     * worker.
     */
    update: {
      taskQueue: QUEUES.update,
      startToCloseTimeout: '24 hours',
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(2000), backoffCoefficient: 2, maximumInterval: ms(60_000) },
    },
    /** Runs the evaluator, which has its own limit, a day at most. The heartbeat reveals a dead worker. */
    score: {
      taskQueue: QUEUES.score,
      startToCloseTimeout: '26 hours',
      heartbeatTimeout: beat(10_000),
      retry: { initialInterval: ms(1000), backoffCoefficient: 2, maximumInterval: ms(30_000) },
    },
  } satisfies Record<string, ActivityOptions>;
};

/** Options for short work inside a workflow task, without a queue. If it fails, the ordinary activity takes over. */
export const localOptions = (tempo: number): LocalActivityOptions => ({
  startToCloseTimeout: Math.max(1000, Math.round(5000 * tempo)),
  retry: { maximumAttempts: 1 },
});

/** Time between two reconciliations of a research, in ms. */
export const reconcileEvery = (tempo: number): number => Math.max(500, Math.round(60_000 * tempo));

/** Pause after a failed launch of a trial, in ms; it grows with each failure. The database or the offer was missing. */
export const relaunchAfter = (failures: number, tempo: number): number =>
  Math.min(30_000, Math.round(500 * 2 ** Math.min(failures, 6) * tempo));

/**
 * Pause in ms after this many refusals of a trial's task by hosts, or outages of its agent's endpoint: suitable hosts
 * may be free after it, and the endpoint back.
 */
export const askAgainAfter = (times: number, tempo: number): number =>
  Math.round(Math.min(300_000, 5000 * 2 ** (times - 1)) * tempo);
