import { setTimeout as sleep } from 'node:timers/promises';
import { defaultPayloadConverter } from '@temporalio/common';
import { failureMessage } from './failure-message.ts';
import { LISTED_MS, isWorkerPolling, type Patience } from './await-worker.ts';
import { SteeringError } from './steering-error.ts';
import type { Temporal } from './with-client.ts';

/** Longest wait for an opening, which takes a second. A worker that died just now still counts as polling. */
const PATIENCE_MS = 15_000;
const POLL_MS = 200;
/** Number of events that are read from the start of the history: the opening is a research's first activity. */
const EVENTS = 100;
/** Name of the activity that opens a research. */
export const OPENING = 'openResearch';

type Event = NonNullable<
  NonNullable<
    Awaited<ReturnType<Temporal['client']['workflowService']['getWorkflowExecutionHistory']>>['history']
  >['events']
>[number];

/** Answer of the worker that opened a research. */
export interface Opening {
  /** Sentence about what runs of the research could do. Null if the worker does not know, or is of an older release. */
  exposure: string | null;
}

/**
 * Waits until a worker has opened a research that was started just now. Null if no worker polls, or none opened it in
 * time. Throws SteeringError `refused` with the reason if the research cannot be opened.
 */
export async function awaitOpening(
  temporal: Temporal,
  execution: { workflowId: string; runId: string },
  { signal, openingTimeoutMs: patienceMs = PATIENCE_MS }: Patience = {},
): Promise<Opening | null> {
  const { client, address } = temporal;
  const start = performance.now();
  const end = start + patienceMs;
  const listedBy = start + Math.min(patienceMs, LISTED_MS);
  for (;;) {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace: address.namespace,
      execution,
      maximumPageSize: EVENTS,
    });
    const events = history?.events ?? [];
    const opening = openingIn(events);
    if (opening) return opening;
    const failed = events.find((event) => event.workflowExecutionFailedEventAttributes);
    if (failed) {
      const why = failureMessage(failed.workflowExecutionFailedEventAttributes?.failure) ?? 'no reason was given';
      throw new SteeringError('refused', `The research ${execution.workflowId} was refused: ${why}`);
    }
    const now = performance.now();
    if (now > end || signal?.aborted) return null;
    if (now > listedBy && !(await isWorkerPolling(temporal))) return null;
    await sleep(POLL_MS);
  }
}

function openingIn(events: Event[]): Opening | undefined {
  const scheduled = events.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === OPENING);
  for (const { activityTaskCompletedEventAttributes: completed } of events) {
    if (!completed || String(completed.scheduledEventId) !== String(scheduled?.eventId)) continue;
    const [payload] = completed.result?.payloads ?? [];
    const answer = payload ? defaultPayloadConverter.fromPayload<Partial<Opening> | null>(payload) : null;
    return { exposure: answer?.exposure ?? null };
  }
  return undefined;
}
