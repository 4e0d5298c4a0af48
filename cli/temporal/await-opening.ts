import { setTimeout as sleep } from 'node:timers/promises';
import type { Temporal } from '../context.ts';
import { refused } from '../errors.ts';
import { failureMessage } from './failure-message.ts';
import type { Io } from '../io.ts';
import { workerPolls } from './worker-polls.ts';

/** A worker that polls opens a research within a second; one that died a moment ago is waited for in vain. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 200;
/** The server lists a worker some seconds after its first poll. */
const NO_WORKER_MS = 5000;
/** The opening is the first thing that a research does. */
const EVENTS = 100;
/** Name of the activity that opens a research. */
export const OPENING = 'openResearch';

type Event = NonNullable<
  NonNullable<
    Awaited<ReturnType<Temporal['client']['workflowService']['getWorkflowExecutionHistory']>>['history']
  >['events']
>[number];

/**
 * Waits until a worker has opened a research that was started just now: true where it did, false where no worker polls
 * or none came to it in time. Throws `refused` with the reason where the research cannot be opened.
 */
export async function awaitOpening(
  temporal: Temporal,
  execution: { workflowId: string; runId: string },
  { signal, patienceMs = PATIENCE_MS }: Pick<Io, 'signal' | 'patienceMs'> = {},
): Promise<boolean> {
  const { client, address } = temporal;
  const start = performance.now();
  const end = start + patienceMs;
  const listedBy = start + Math.min(patienceMs, NO_WORKER_MS);
  for (;;) {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace: address.namespace,
      execution,
      maximumPageSize: EVENTS,
    });
    const events = history?.events ?? [];
    if (isOpened(events)) return true;
    const failed = events.find((event) => event.workflowExecutionFailedEventAttributes);
    if (failed) {
      const why = failureMessage(failed.workflowExecutionFailedEventAttributes?.failure) ?? 'no reason was given';
      throw refused(`The research ${execution.workflowId} was refused: ${why}`);
    }
    const now = performance.now();
    if (now > end || signal?.aborted) return false;
    if (now > listedBy && !(await workerPolls(temporal))) return false;
    await sleep(LOOK_MS);
  }
}

function isOpened(events: Event[]): boolean {
  const opening = events.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === OPENING);
  return events.some(
    ({ activityTaskCompletedEventAttributes: completed }) =>
      completed && String(completed.scheduledEventId) === String(opening?.eventId),
  );
}
