import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import {
  createFleetActivities,
  createLearnActivities,
  createMainActivities,
  createWaitingActivities,
  createProposeActivities,
  createScoreActivities,
  createScorePlaces,
  type ActivityDeps,
} from '../activities/index.ts';
import { identityOf } from '../domain/floor/identity.ts';
import { QUEUES } from '../domain/messages/names.ts';
import { cleanFailures } from './queues/clean-failures.ts';
import { QueueError } from './describe-start.ts';
import { endOnDatabaseRefusal } from './queues/end-on-database-refusal.ts';
import type { Permits } from './queues/permits.ts';

/** How long a stopping worker lets short activities finish; followers detach at once and the next attempt re-attaches. */
const GRACE = '3 seconds';
/** Heartbeats are throttled to this at most, so that a cancel arrives within seconds. */
const HEARTBEAT_THROTTLE = '3 seconds';
/** A sticky queue whose worker died is given up after this. */
const STICKY_TIMEOUT = '3 seconds';
/**
 * Thousands of messages that came while no worker was there are one activation, a millisecond or two each. One that is cut short goes
 * on within the next workflow of the same context.
 */
const LONGEST_ACTIVATION = '1 minute';
/** Runs on the fleet that one worker follows, and those whose rows are still being written. */
const FLEET_FOLLOWERS = 500;
/** Conversations with runs on the fleet: the evaluators run here. */
const FLEET_SCORES = 16;
/** Model calls mostly wait; this many may do so at once. */
const PROPOSALS_AT_ONCE = 64;
/** Updates mostly wait for a policy's server, which works at one at a time. */
const UPDATES_AT_ONCE = 16;

export interface WorkersInput {
  connection: NativeConnection;
  namespace: string;
  deps: ActivityDeps;
  permits: Permits;
  /** Of this machine. */
  slots: number;
  /** Names of queues; null for all. */
  queues: string[] | null;
  pool: string;
}

/** Workflows from the bundle that the build made, or from the sources where there is none (tests). */
function workflowSource(name: 'workflow' | 'trial'): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  const bundle = fileURLToPath(new URL(`../${name}-bundle.js`, import.meta.url));
  if (existsSync(bundle)) return { workflowBundle: { codePath: bundle } };
  const source = name === 'workflow' ? '../workflows/index.ts' : '../workflows/trial.ts';
  return { workflowsPath: fileURLToPath(new URL(source, import.meta.url)) };
}

/** Launches for a pool: one activity a permit. */
export const fleetOptions = (pool: string, { deps, permits }: Pick<WorkersInput, 'deps' | 'permits'>) =>
  ({
    taskQueue: QUEUES.fleet(pool),
    activities: createFleetActivities(deps),
    tuner: {
      workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: 2 },
      activityTaskSlotSupplier: permits.supplier,
      localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
      nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
    },
  }) satisfies QueueOptions;

type QueueOptions = Omit<WorkerOptions, 'connection' | 'namespace'>;

/** A worker of one queue. */
export const createWorker = (
  { connection, namespace }: Pick<WorkersInput, 'connection' | 'namespace'>,
  options: QueueOptions,
): Promise<Worker> =>
  Worker.create({
    connection,
    namespace,
    identity: identityOf({ pid: process.pid, host: hostname() }),
    shutdownGraceTime: GRACE,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    maxCachedWorkflows: 400,
    // The worker takes it, and its type does not tell.
    ...{ isolateExecutionTimeout: LONGEST_ACTIVATION },
    interceptors: {
      activity: [() => ({ inbound: cleanFailures }), ({ info }) => ({ inbound: endOnDatabaseRefusal(info) })],
    },
    ...options,
  });

/** One worker per queue: each has its own bound on concurrency, and only one carries workflows. */
export async function createWorkers(input: WorkersInput): Promise<Worker[]> {
  const { deps, slots, pool, queues } = input;
  const scores = !queues || queues.includes(QUEUES.score);
  const all: QueueOptions[] = [
    {
      taskQueue: QUEUES.main,
      ...workflowSource('workflow'),
      activities: createMainActivities(deps),
      // Takes up runs after an outage, minutes each where hosts are slow, and admits beside that.
      maxConcurrentActivityTaskExecutions: 128,
      stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
      sinks: { steps: { handingOver: { fn: () => deps.reach('handing-over'), callDuringReplay: false } } },
    },
    {
      // A bundle and a thread of its own: each trial evaluates its bundle once, and needs no schema of any message.
      taskQueue: QUEUES.trial,
      ...workflowSource('trial'),
      // What a trial does within its workflow task.
      activities: createProposeActivities(deps),
      enableNonLocalActivities: false,
      stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    },
    {
      taskQueue: QUEUES.propose,
      activities: createProposeActivities(deps),
      maxConcurrentActivityTaskExecutions: PROPOSALS_AT_ONCE,
    },
    {
      taskQueue: QUEUES.update,
      activities: createLearnActivities(deps),
      maxConcurrentActivityTaskExecutions: UPDATES_AT_ONCE,
    },
    fleetOptions(pool, input),
    {
      taskQueue: QUEUES.monitor,
      // Evaluators run where scores are asked for, which may be a machine of their own.
      activities: createWaitingActivities(deps, scores ? createScorePlaces(slots) : null),
      // A follower per slot, here and on the fleet: they mostly wait.
      maxConcurrentActivityTaskExecutions: 2 * slots + FLEET_FOLLOWERS,
    },
    {
      taskQueue: QUEUES.score,
      activities: createScoreActivities(deps),
      // Interactive scoring holds a slot, so more at once than slots could never run; hosts that are away keep places, too.
      maxConcurrentActivityTaskExecutions: slots + 1 + FLEET_SCORES,
    },
  ];
  const names = all.map(({ taskQueue }) => taskQueue);
  const unknown = input.queues?.find((name) => !names.includes(name) && !name.startsWith(QUEUES.fleet('')));
  if (unknown !== undefined)
    throw new QueueError(
      `--queues: expected some of ${names.join(', ')}, or fleet-<pool>, came ${JSON.stringify(unknown)}`,
    );
  const wanted = input.queues ? all.filter(({ taskQueue }) => input.queues?.includes(taskQueue)) : all;
  return Promise.all(wanted.map((options) => createWorker(input, options)));
}
