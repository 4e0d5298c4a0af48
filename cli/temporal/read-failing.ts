import type { Client } from '@temporalio/client';
import { parseTrialId } from '../../domain/trial/ids.ts';
import { FAILING_FROM_ATTEMPT, type Failing } from './failing.ts';
import { failureMessage } from '../../steering/failure-message.ts';

/** Number of trials that are checked, the oldest first: work that fails forever belongs to an old trial. */
const TRIALS = 100;
/** Number of the history's last events that are searched for the first attempt. */
const EVENTS = 500;
const MESSAGE = 500;
/** Status code of gRPC. */
const NOT_FOUND = 5;
/** PENDING_ACTIVITY_STATE_STARTED */
const STARTED = 2;

type Described = Awaited<ReturnType<Client['workflowService']['describeWorkflowExecution']>>;
type Activity = NonNullable<Described['pendingActivities']>[number];
type Time = NonNullable<Activity['scheduledTime']>;
type Found = Omit<Failing, 'message' | 'since'> & { message: string | null; activityId: string | null };

/** Reads the repeatedly failing work of a research and its open trials, the research's first. */
export async function readFailing(
  client: Client,
  input: { researchId: string; trialIds: string[]; now: Date },
): Promise<Failing[]> {
  const ids = [input.researchId, ...input.trialIds.slice(0, TRIALS)];
  return (await Promise.all(ids.map((id) => readFailingOf(client, id, input.now)))).flat();
}

async function readFailingOf(client: Client, workflowId: string, now: Date): Promise<Failing[]> {
  const { namespace } = client.options;
  const described = await client.workflowService
    .describeWorkflowExecution({ namespace, execution: { workflowId } })
    .catch((error: unknown) => {
      // The workflow has not started yet, or was closed and deleted since the database was read.
      if ((error as { code?: unknown }).code === NOT_FOUND) return null;
      throw error;
    });
  const found = described ? foundIn(described, workflowId, now) : [];
  if (found.length === 0) return [];
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId },
    maximumPageSize: EVENTS,
  });
  return found.map((failing) => complete(failing, history?.events ?? []));
}

function foundIn(described: Described, workflowId: string, now: Date): Found[] {
  const trial = parseTrialId(workflowId)?.n ?? null;
  const found = (described.pendingActivities ?? []).filter(isFailing).map((activity): Found => {
    const next = dateOf(activity.nextAttemptScheduleTime ?? null);
    return {
      workflowId,
      trial,
      activity: activity.activityType?.name ?? 'unknown',
      attempt: activity.attempt ?? FAILING_FROM_ATTEMPT,
      message: cutMessage(activity.lastFailure),
      nextAttemptSeconds:
        next === null || Number(activity.state) === STARTED
          ? null
          : Math.max(0, (next.getTime() - now.getTime()) / 1000),
      activityId: activity.activityId ?? null,
    };
  });
  const attempt = described.pendingWorkflowTask?.attempt ?? 0;
  if (attempt < FAILING_FROM_ATTEMPT) return found;
  const task = { activity: null, attempt, message: null, nextAttemptSeconds: null, activityId: null };
  return [{ workflowId, trial, ...task }, ...found];
}

/** Activities that follow a run and last as long as it. */
const FOLLOWERS = ['monitor', 'awaitReady'];

/** True if a worker follows the run now, so that the workflow does not wait for a worker. */
export const isFollowing = ({ state, activityType }: Activity): boolean =>
  FOLLOWERS.includes(activityType?.name ?? '') && Number(state) === STARTED;

/** True if an activity fails repeatedly. A follower is excluded: each worker that it outlived counts as an attempt. */
const isFailing = (activity: Activity): boolean =>
  (activity.attempt ?? 0) >= FAILING_FROM_ATTEMPT && !isFollowing(activity);

type Events = NonNullable<
  NonNullable<Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistoryReverse']>>['history']>['events']
>;

/** Adds facts from the history: the time at which an activity was scheduled, and the message of a workflow task. */
function complete({ activityId, message, ...found }: Found, events: Events): Failing {
  const event =
    activityId === null
      ? events.find((candidate) => candidate.workflowTaskFailedEventAttributes)
      : events.find((candidate) => candidate.activityTaskScheduledEventAttributes?.activityId === activityId);
  const text = message ?? cutMessage(event?.workflowTaskFailedEventAttributes?.failure);
  return {
    ...found,
    message: text ?? "no message; see the worker's log",
    since: dateOf(event?.eventTime ?? null)?.toISOString() ?? null,
  };
}

const cutMessage = (failure: Parameters<typeof failureMessage>[0]): string | null =>
  failureMessage(failure)?.slice(0, MESSAGE) ?? null;

const dateOf = (time: Time | null): Date | null =>
  time === null ? null : new Date(Number(String(time.seconds ?? 0)) * 1000 + (time.nanos ?? 0) / 1e6);
