import type { Client } from '@temporalio/client';
import type { Db } from '../../../db/connect.ts';
import { findJob } from '../../../db/job/job.ts';
import { failureMessage } from '../../../steering/failure-message.ts';
import { isWorkerPolling } from '../../../steering/await-worker.ts';
import { isFollowing, readFailing } from '../../temporal/read-failing.ts';
import type { JobProgress } from './describe-job-wait.ts';

/** Number of the history's last events that are searched for the last launch. */
const EVENTS = 60;
/** PENDING_ACTIVITY_STATE_SCHEDULED and PENDING_WORKFLOW_TASK_STATE_SCHEDULED */
const SCHEDULED = 1;
/** Activities that a job repeats until they succeed, before any other activity. */
const LAUNCHING = ['launch', 'start'];

type Service = Client['workflowService'];
type Described = Awaited<ReturnType<Service['describeWorkflowExecution']>>;
type Activity = NonNullable<Described['pendingActivities']>[number];
type Event = NonNullable<
  NonNullable<Awaited<ReturnType<Service['getWorkflowExecutionHistoryReverse']>>['history']>['events']
>[number];

const FOLLOWED: JobProgress = {
  pool: null,
  waitsFor: null,
  failing: [],
  launchFailed: null,
  unstartedActivities: [],
  hasPoller: true,
};

/** Reads a job's progress from the database and from Temporal. Throws if one of them does not answer. */
export async function readJobProgress({
  client,
  db,
  id,
  now,
}: {
  client: Client;
  db: Db;
  id: string;
  now: Date;
}): Promise<JobProgress> {
  const workflow = { namespace: client.options.namespace, execution: { workflowId: id } };
  const described = await client.workflowService.describeWorkflowExecution(workflow);
  const activities = described.pendingActivities ?? [];
  // Saves the other reads: a server runs for weeks, with a probe every few seconds.
  if (activities.some(isFollowing)) return FOLLOWED;
  const [{ history }, failing, found, hasPoller] = await Promise.all([
    client.workflowService.getWorkflowExecutionHistoryReverse({ ...workflow, maximumPageSize: EVENTS }),
    readFailing(client, { researchId: id, trialIds: [], now }),
    findJob(db, id),
    isWorkerPolling({ client }, now),
  ]);
  const unstartedActivities: (string | null)[] = activities.filter(isUnstarted).map(nameOf);
  if (Number(described.pendingWorkflowTask?.state) === SCHEDULED) unstartedActivities.push(null);
  return {
    pool: found?.job.pool ?? null,
    waitsFor: found?.job.waitsFor ?? null,
    failing,
    hasPoller,
    launchFailed: launchFailure(history?.events ?? []),
    unstartedActivities,
  };
}

/** True if an activity waits for a worker, and not for its next attempt after a failure. */
const isUnstarted = ({ state, lastFailure }: Activity): boolean =>
  Number(state) === SCHEDULED && (!lastFailure || Boolean(lastFailure.timeoutFailureInfo));

const nameOf = ({ activityType }: Pick<Activity, 'activityType'>): string => activityType?.name ?? '';

/**
 * Message of the last launch's failure; null if the launch succeeded, or another activity came after it. `events` has
 * the newest event first.
 */
function launchFailure(events: readonly Event[]): string | null {
  const names = new Map(
    events.flatMap(({ eventId, activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled ? [[String(eventId), nameOf(scheduled)] as const] : [],
    ),
  );
  for (const event of events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled && !LAUNCHING.includes(nameOf(scheduled))) return null;
    const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    const ended = failed ?? event.activityTaskCompletedEventAttributes;
    if (ended && names.get(String(ended.scheduledEventId)) === 'launch') return failureMessage(failed?.failure);
  }
  return null;
}
