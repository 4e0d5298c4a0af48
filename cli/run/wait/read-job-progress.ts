import type { Client } from '@temporalio/client';
import type { Db } from '../../../db/connect.ts';
import { findJob } from '../../../db/job/job.ts';
import { failureMessage } from '../../temporal/failure-message.ts';
import { isWorkerPolling } from '../../temporal/await-worker.ts';
import { isFollowing, readFailing } from '../../temporal/read-failing.ts';
import type { JobProgress } from './describe-job-wait.ts';

/** Events looked through, from the end, for the last launch. */
const EVENTS = 60;
/** PENDING_ACTIVITY_STATE_SCHEDULED and PENDING_WORKFLOW_TASK_STATE_SCHEDULED */
const SCHEDULED = 1;
/** Tried again and again before anything else of a job goes on. */
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

/** Where a job stands by the database and by Temporal; throws where one of them does not answer. */
export async function readJobProgress(from: { client: Client; db: Db; id: string; now: Date }): Promise<JobProgress> {
  const { client, db, id, now } = from;
  const of = { namespace: client.options.namespace, execution: { workflowId: id } };
  const described = await client.workflowService.describeWorkflowExecution(of);
  const activities = described.pendingActivities ?? [];
  // A server is followed for weeks, and looked at every few seconds.
  if (activities.some(isFollowing)) return FOLLOWED;
  const [{ history }, failing, found, isPolled] = await Promise.all([
    client.workflowService.getWorkflowExecutionHistoryReverse({ ...of, maximumPageSize: EVENTS }),
    readFailing(client, { researchId: id, trialIds: [], now }),
    findJob(db, id),
    isWorkerPolling({ client }, now),
  ]);
  const names = activities.filter(isUntaken).map(nameOf);
  return {
    ...{ pool: found?.job.pool ?? null, waitsFor: found?.job.waitsFor ?? null, failing },
    hasPoller: isPolled,
    launchFailed: launchFailure(history?.events ?? []),
    unstartedActivities: [...names, ...(Number(described.pendingWorkflowTask?.state) === SCHEDULED ? [null] : [])],
  };
}

/** Waits for a worker, and not for the end of a pause after a failure. */
const isUntaken = ({ state, lastFailure }: Activity): boolean =>
  Number(state) === SCHEDULED && (!lastFailure || Boolean(lastFailure.timeoutFailureInfo));

const nameOf = ({ activityType }: Pick<Activity, 'activityType'>): string => activityType?.name ?? '';

/** Why the last launch failed; null where it succeeded, or something came after it. The newest event is the first. */
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
