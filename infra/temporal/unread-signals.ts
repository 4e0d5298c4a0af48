import type { Client } from '@temporalio/client';
import { SIGNALS, UPDATE_ENDED } from '../../domain/messages/names.ts';

type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;
export type HistoryEvent = NonNullable<History['events']>[number];

/** Signals that the next run takes over: ends of trials and updates from the database, pause and stop from this run. */
const KEPT: readonly string[] = [SIGNALS.trialEnded, UPDATE_ENDED, SIGNALS.pause, SIGNALS.resume, SIGNALS.stop];

/**
 * Names of the signals in a run's history that may not have taken effect and that the next run does not take over, in
 * their order. A signal counts as read after a later workflow task that leaves no activity and no start of a child
 * open: until then its effect may be incomplete.
 */
export function unreadSignals(events: readonly HistoryEvent[]): string[] {
  const endedAt = new Map(events.map((event) => [endedBy(event), Number(event.eventId)]));
  const steps = events.flatMap((event) => {
    const step =
      event.activityTaskScheduledEventAttributes ?? event.startChildWorkflowExecutionInitiatedEventAttributes;
    const id = Number(event.eventId);
    return step ? [{ since: Number(step.workflowTaskCompletedEventId), until: endedAt.get(id) ?? Infinity }] : [];
  });
  const quiet = events.findLast(
    (event) =>
      event.workflowTaskCompletedEventAttributes &&
      steps.every(({ since, until }) => since > Number(event.eventId) || until < Number(event.eventId)),
  );
  const read = Number(quiet?.workflowTaskCompletedEventAttributes?.startedEventId ?? 0);
  return events
    .filter((event) => Number(event.eventId) > read)
    .flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [])
    .filter((name) => !KEPT.includes(name));
}

/** Id of the activity, or of the start of a child, that an event ends; null for other events. */
function endedBy(event: HistoryEvent): number | null {
  const activity =
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskCanceledEventAttributes;
  const start =
    event.childWorkflowExecutionStartedEventAttributes ?? event.startChildWorkflowExecutionFailedEventAttributes;
  const id = activity?.scheduledEventId ?? start?.initiatedEventId ?? null;
  return id === null ? null : Number(id);
}
