import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { cleanJson } from '../../domain/json/clean-text.ts';
import { UPDATES } from '../../domain/messages/names.ts';
import { unreadSignals } from './unread-signals.ts';

/** Facts of one run of a workflow that only its history has. */
export interface ReadHistory {
  args: unknown;
  /** The run has completed a workflow task. */
  isBegun: boolean;
  /** The run was continued as new from another one. */
  isContinued: boolean;
  isCancelled: boolean;
  /** Argument of the last `setWindow` that the run accepted; undefined if there was none. */
  setWindow: unknown;
  /** Names of the signals that may not have taken effect, in their order. */
  unread: string[];
}

/** Reads the history of one run. Arguments that cannot be decoded are undefined. */
export async function readHistory(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<ReadHistory> {
  const events = (await client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  const setWindow = events
    .map((event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input)
    .findLast((update) => update?.name === UPDATES.setWindow);
  return {
    args: firstOf(started?.input),
    isBegun: events.some((event) => event.workflowTaskCompletedEventAttributes),
    isContinued: Boolean(started?.continuedExecutionRunId),
    isCancelled: events.some((event) => event.workflowExecutionCancelRequestedEventAttributes),
    setWindow: firstOf(setWindow?.args),
    unread: unreadSignals(events),
  };
}

function firstOf(input: { payloads?: Payload[] | null } | null | undefined): unknown {
  const [payload] = input?.payloads ?? [];
  if (!payload) return undefined;
  try {
    return cleanJson(defaultPayloadConverter.fromPayload(payload));
  } catch {
    return undefined;
  }
}
