/** The parts of an event that are read, in the JSON of `temporal workflow show`. */
interface Event {
  eventType: string;
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  startChildWorkflowExecutionInitiatedEventAttributes?: { workflowType: { name: string } };
  signalExternalWorkflowExecutionInitiatedEventAttributes?: { signalName: string };
  markerRecordedEventAttributes?: {
    markerName: string;
    details: Record<string, { payloads: { data: string }[] }>;
  };
  workflowExecutionSignaledEventAttributes?: { signalName: string };
  workflowExecutionUpdateAcceptedEventAttributes?: { acceptedRequest: { input: { name: string } } };
}

/** A recorded run of a workflow. */
export interface Recorded {
  workflowId: string;
  history: { events: Event[] };
}

export interface Contents {
  /** Kinds of commands of the workflow, in the order of their first command. */
  commands: string[];
  /** Signals, updates and cancellations that the workflow received. */
  messages: string[];
  patches: string[];
}

/** Names of commands that have none of their own, by the type of their event. */
const PLAIN: Record<string, string> = {
  TIMER_STARTED: 'timer',
  UPSERT_WORKFLOW_SEARCH_ATTRIBUTES: 'search attributes',
  WORKFLOW_PROPERTIES_MODIFIED: 'memo',
  ACTIVITY_TASK_CANCEL_REQUESTED: 'cancel an activity',
  REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED: 'cancel a workflow',
  WORKFLOW_EXECUTION_UPDATE_COMPLETED: 'answer an update',
  WORKFLOW_EXECUTION_COMPLETED: 'complete',
  WORKFLOW_EXECUTION_FAILED: 'fail',
  WORKFLOW_EXECUTION_CANCELED: 'close as cancelled',
  WORKFLOW_EXECUTION_CONTINUED_AS_NEW: 'continue as new',
};

/** Commands, messages and patches of a history. */
export function contentsOf({ history: { events } }: Recorded): Contents {
  const [commands, messages, patches] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const event of events) {
    const patch = patchOf(event);
    if (patch !== undefined) patches.add(patch);
    const command = patch === undefined ? commandOf(event) : undefined;
    if (command !== undefined) commands.add(command);
    const message = messageOf(event);
    if (message !== undefined) messages.add(message);
  }
  return { commands: [...commands], messages: [...messages], patches: [...patches].sort() };
}

function commandOf(event: Event): string | undefined {
  const activity = event.activityTaskScheduledEventAttributes?.activityType.name;
  if (activity !== undefined) return activity;
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType.name;
  if (child !== undefined) return `child ${child}`;
  const signal = event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName;
  if (signal !== undefined) return `signal ${signal}`;
  const marker = event.markerRecordedEventAttributes;
  if (marker?.markerName === 'core_local_activity')
    return `local ${String(detail(marker.details['data'])['activity_type'])}`;
  return marker ? `marker ${marker.markerName}` : PLAIN[event.eventType.replace('EVENT_TYPE_', '')];
}

function messageOf(event: Event): string | undefined {
  if (event.eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED') return 'cancel';
  return (
    event.workflowExecutionSignaledEventAttributes?.signalName ??
    event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest.input.name
  );
}

function patchOf({ markerRecordedEventAttributes: marker }: Event): string | undefined {
  return marker?.markerName === 'core_patch' ? String(detail(marker.details['patch-data'])['id']) : undefined;
}

const detail = (details: { payloads: { data: string }[] } | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(details?.payloads[0]?.data ?? '', 'base64').toString()) as Record<string, unknown>;

/** The line of a history in the list of histories. */
export const lineOf = (name: string, { commands, messages, patches }: Contents): string =>
  [
    `${name}: ${commands.join(', ')}`,
    ...(messages.length > 0 ? [`told ${messages.join(', ')}`] : []),
    ...(patches.length > 0 ? [`patched ${patches.join(', ')}`] : []),
  ].join('; ');
