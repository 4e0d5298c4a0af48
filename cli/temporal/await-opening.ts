import { setTimeout as sleep } from 'node:timers/promises';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Temporal } from '../context.ts';
import { refused } from '../errors.ts';
import { failureMessage } from './failure-message.ts';
import type { Io } from '../io.ts';
import { LISTED_MS, isWorkerPolling } from './await-worker.ts';

/** A worker that polls opens a research within a second; one that died a moment ago is waited for in vain. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 200;
/** The opening is the first thing that a research does. */
const EVENTS = 100;
/** Name of the activity that opens a research. */
export const OPENING = 'openResearch';

type Event = NonNullable<
  NonNullable<
    Awaited<ReturnType<Temporal['client']['workflowService']['getWorkflowExecutionHistory']>>['history']
  >['events']
>[number];

/** Words of a worker that has opened a research. */
export interface Opening {
  /** One sentence: what its runs could do. Null where the worker could not say, or is an older one. */
  exposure: string | null;
}

/**
 * Waits until a worker has opened a research that was started just now; null where no worker polls or none came to it in
 * time. Throws `refused` with the reason where the research cannot be opened.
 */
export async function awaitOpening(
  temporal: Temporal,
  execution: { workflowId: string; runId: string },
  { signal, openingTimeoutMs: patienceMs = PATIENCE_MS }: Pick<Io, 'signal' | 'openingTimeoutMs'> = {},
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
      throw refused(`The research ${execution.workflowId} was refused: ${why}`);
    }
    const now = performance.now();
    if (now > end || signal?.aborted) return null;
    if (now > listedBy && !(await isWorkerPolling(temporal))) return null;
    await sleep(LOOK_MS);
  }
}

function openingIn(events: Event[]): Opening | undefined {
  const asked = events.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === OPENING);
  for (const { activityTaskCompletedEventAttributes: completed } of events) {
    if (!completed || String(completed.scheduledEventId) !== String(asked?.eventId)) continue;
    const [payload] = completed.result?.payloads ?? [];
    const said = payload ? defaultPayloadConverter.fromPayload<Partial<Opening> | null>(payload) : null;
    return { exposure: said?.exposure ?? null };
  }
  return undefined;
}
