import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { cleanJson } from '../../domain/json/clean-text.ts';
import { SIGNALS, UPDATES } from '../../domain/messages/names.ts';
import { unreadSignals } from './unread-signals.ts';

const STEERING: readonly string[] = [SIGNALS.pause, SIGNALS.resume, SIGNALS.stop];

/** The activity that stores the phase of a research. */
const RECORD_PHASE = 'recordPhase';

/** Facts of one run of a workflow that only its history has. */
export interface ReadHistory {
  args: unknown;
  /** True if the run has completed a workflow task. */
  isBegun: boolean;
  /** True if the run was continued as new from another run. */
  isContinued: boolean;
  isCancelled: boolean;
  /** Signals `pause`, `resume` and `stop`, in their order. */
  steering: { name: string; arg: unknown }[];
  /** Argument of the last activity that stores the phase of a research; undefined if there was none. */
  lastPhase: unknown;
  /** Reason of the run's termination; null if it was not terminated, or without a reason. */
  terminatedFor: string | null;
  /** Argument of the last `setWindow` that the run accepted; undefined if there was none. */
  setWindow: unknown;
  /** Names of the signals that may not have taken effect, in their order. */
  unread: string[];
}

/** Reads the history of one run. */
export async function readHistory(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<ReadHistory> {
  const events = (await client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  const setWindow = events
    .map((event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input)
    .findLast((update) => update?.name === UPDATES.setWindow);
  const recorded = events
    .map((event) => event.activityTaskScheduledEventAttributes)
    .findLast((activity) => activity?.activityType?.name === RECORD_PHASE);
  return {
    args: firstOf(started?.input),
    isBegun: events.some((event) => event.workflowTaskCompletedEventAttributes),
    isContinued: Boolean(started?.continuedExecutionRunId),
    isCancelled: events.some((event) => event.workflowExecutionCancelRequestedEventAttributes),
    setWindow: firstOf(setWindow?.args),
    steering: events.flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
      STEERING.includes(signal?.signalName ?? '')
        ? [{ name: signal?.signalName ?? '', arg: firstOf(signal?.input) }]
        : [],
    ),
    lastPhase: firstOf(recorded?.input),
    terminatedFor: events.at(-1)?.workflowExecutionTerminatedEventAttributes?.reason ?? null,
    unread: unreadSignals(events),
  };
}

/** The first argument; undefined if there is none, and an object that no schema takes if it cannot be decoded. */
function firstOf(input: { payloads?: Payload[] | null } | null | undefined): unknown {
  const [payload] = input?.payloads ?? [];
  if (!payload) return undefined;
  try {
    return cleanJson(defaultPayloadConverter.fromPayload(payload));
  } catch (error) {
    return { undecodable: String(error) };
  }
}
