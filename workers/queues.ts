import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import {
  createFleetActivities,
  createLearnActivities,
  createMainActivities,
  createPreflightActivities,
  createWaitingActivities,
  createProposeActivities,
  createScoreActivities,
  createScorePlaces,
  type ActivityDeps,
} from '../activities/index.ts';
import { AGENT_POOL } from '../domain/agent/agent-pool.ts';
import { identityOf } from '../domain/floor/identity.ts';
import { QUEUES } from '../domain/messages/names.ts';
import { cleanFailures } from './queues/clean-failures.ts';
import { QueueError } from './describe-start.ts';
import { endOnDatabaseRefusal } from './queues/end-on-database-refusal.ts';
import type { Permits } from './queues/permits.ts';

/**
 * Time in which short activities finish when a worker stops. Followers detach at once; the next attempt attaches again.
 */
const GRACE = '3 seconds';
/** Longest throttle of heartbeats, so that a cancel arrives within seconds. */
const HEARTBEAT_THROTTLE = '3 seconds';
/** Time after which the sticky queue of a dead worker is abandoned. */
const STICKY_TIMEOUT = '3 seconds';
/**
 * Longest activation of a workflow. Thousands of messages that came while no worker ran are one activation, at a
 * millisecond or two each. An activation that is cut short continues within the next workflow of the same context.
 */
const LONGEST_ACTIVATION = '1 minute';
/** Runs on the fleet that one worker follows, and runs whose rows are still being written. */
const FLEET_FOLLOWERS = 500;
/** Conversations with runs on the fleet, whose evaluators run on this worker. */
const FLEET_SCORES = 16;
/** Model calls at once; they mostly wait. */
const PROPOSALS_AT_ONCE = 64;
/** Updates at once; they mostly wait for a policy's server, which works on one at a time. */
const UPDATES_AT_ONCE = 16;

export interface WorkersInput {
  connection: NativeConnection;
  namespace: string;
  deps: ActivityDeps;
  permits: Permits;
  /** Places of coding agents on this machine. */
  agentPermits: Permits;
  /** Slots of this machine. */
  slots: number;
  /** Names of queues; null for all. */
  queues: string[] | null;
  pool: string;
}

/** Workflow code: the bundle of the build, or the sources if there is none (tests). */
function workflowSource(name: 'workflow' | 'trial'): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  const bundle = fileURLToPath(new URL(`../${name}-bundle.js`, import.meta.url));
  if (existsSync(bundle)) return { workflowBundle: { codePath: bundle } };
  const source = name === 'workflow' ? '../workflows/index.ts' : '../workflows/trial.ts';
  return { workflowsPath: fileURLToPath(new URL(source, import.meta.url)) };
}

/** Options of the worker that launches for a pool, one activity for each permit. */
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

/** Options that the worker accepts although their type does not have them. */
const UNTYPED_OPTIONS = { isolateExecutionTimeout: LONGEST_ACTIVATION };

/** Creates the worker of one queue. */
export const createWorker = (
  { connection, namespace, deps }: Pick<WorkersInput, 'connection' | 'namespace' | 'deps'>,
  options: QueueOptions,
): Promise<Worker> =>
  Worker.create({
    connection,
    namespace,
    identity: identityOf({ pid: process.pid, host: hostname() }),
    shutdownGraceTime: GRACE,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    maxCachedWorkflows: 400,
    ...UNTYPED_OPTIONS,
    interceptors: {
      activity: [
        () => ({ inbound: cleanFailures }),
        ({ info }) => ({ inbound: endOnDatabaseRefusal(info, deps.store.trial.canEndTrial) }),
      ],
    },
    ...options,
  });

/** Creates one worker for each queue: each has its own bound on concurrency, and two carry workflows. */
export async function createWorkers(input: WorkersInput): Promise<Worker[]> {
  const { deps, slots, pool, queues } = input;
  const scores = !queues || queues.includes(QUEUES.score);
  const all: QueueOptions[] = [
    {
      taskQueue: QUEUES.main,
      ...workflowSource('workflow'),
      activities: createMainActivities(deps),
      // Attaches to runs after an outage, which takes minutes each if hosts are slow, and admits beside that.
      maxConcurrentActivityTaskExecutions: 128,
      stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
      sinks: { steps: { handingOver: { fn: () => deps.reach('handing-over'), callDuringReplay: false } } },
    },
    {
      // A bundle and a thread of its own: each trial evaluates its bundle once, and needs no schemas of messages.
      taskQueue: QUEUES.trial,
      ...workflowSource('trial'),
      // Local activities, which a trial executes within its workflow task.
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
    fleetOptions(AGENT_POOL, { deps, permits: input.agentPermits }),
    {
      taskQueue: QUEUES.monitor,
      // Evaluators run on workers of the score queue, which may be separate machines.
      activities: createWaitingActivities(deps, scores ? createScorePlaces(slots) : null),
      // A follower per slot, here and on the fleet: they mostly wait.
      maxConcurrentActivityTaskExecutions: 2 * slots + FLEET_FOLLOWERS,
    },
    {
      taskQueue: QUEUES.score,
      activities: { ...createScoreActivities(deps), ...createPreflightActivities(deps) },
      // Interactive scoring holds a slot, so more than `slots` at once cannot run. Hosts that are away keep places,
      // too.
      maxConcurrentActivityTaskExecutions: slots + 1 + FLEET_SCORES,
    },
  ];
  const names = all.map(({ taskQueue }) => taskQueue);
  const unknown = input.queues?.find((name) => !names.includes(name) && !name.startsWith(QUEUES.fleet('')));
  if (unknown !== undefined)
    throw new QueueError(
      `--queues: expected some of ${names.join(', ')}, or fleet-<pool>, got ${JSON.stringify(unknown)}`,
    );
  const wanted = input.queues ? all.filter(({ taskQueue }) => input.queues?.includes(taskQueue)) : all;
  return Promise.all(wanted.map((options) => createWorker(input, options)));
}
