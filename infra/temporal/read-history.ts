import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { cleanJson } from '../../domain/clean-text.ts';
import type { Told } from '../../domain/floor/left.ts';

/** Arguments and messages of a run, by its history. */
export interface ReadHistory {
  args: unknown;
  told: Told[];
  /** Whether it did anything. */
  isBegun: boolean;
  /** Whether a run before it handed over. */
  isContinued: boolean;
}

/** Reads the history of one run. Arguments that cannot be decoded are undefined. */
export async function readHistory(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<ReadHistory> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const all = events ?? [];
  const started = all[0]?.workflowExecutionStartedEventAttributes;
  const done = all.flatMap(({ workflowTaskCompletedEventAttributes: task }) =>
    task ? [Number(task.startedEventId)] : [],
  );
  const lastSeen = done.at(-1) ?? 0;
  const told = all.flatMap((event): Told[] => {
    const seen = Number(event.eventId) < lastSeen;
    const signal = event.workflowExecutionSignaledEventAttributes;
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
    if (signal) return [{ kind: 'signal', name: signal.signalName ?? '', arg: firstOf(signal.input), seen }];
    if (update) return [{ kind: 'update', name: update.name ?? '', arg: firstOf(update.args), seen }];
    if (event.workflowExecutionCancelRequestedEventAttributes)
      return [{ kind: 'cancel', name: '', arg: undefined, seen }];
    return [];
  });
  return {
    args: firstOf(started?.input),
    told,
    isBegun: done.length > 0,
    isContinued: Boolean(started?.continuedExecutionRunId),
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
