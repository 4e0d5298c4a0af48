import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { awaitOpening } from '../../../cli/temporal/await-opening.ts';
import type { Temporal } from '../../../cli/context.ts';

const ANSWER = defaultPayloadConverter.toPayload({ taskName: 'toy', exposure: 'A run can do little.' });
const OPENED = [
  { eventId: 5, activityTaskScheduledEventAttributes: { activityType: { name: 'openResearch' } } },
  { eventId: 7, activityTaskCompletedEventAttributes: { scheduledEventId: 5, result: { payloads: [ANSWER] } } },
];

/** A server with a worker that polls, and that opens a research before the look of that number. */
function temporalOf(openedBy: number, pollsFrom = 0): Temporal & { looks: () => number } {
  let looks = 0;
  const workflowService = {
    getWorkflowExecutionHistory: () => {
      looks += 1;
      return Promise.resolve({ history: { events: looks < openedBy ? [] : OPENED } });
    },
    describeTaskQueue: () => {
      const poller = { lastAccessTime: { seconds: Math.round(Date.now() / 1000) } };
      return Promise.resolve({ pollers: looks < pollsFrom ? [] : [poller] });
    },
  };
  const fake = { client: { workflowService }, address: { namespace: 'n' }, looks: () => looks };
  return fake as unknown as ReturnType<typeof temporalOf>;
}
const execution = { workflowId: 'w', runId: 'r' };

test('an opening is waited for as long as there is patience', async () => {
  const slow = temporalOf(4);
  expect(await awaitOpening(slow, execution, { openingTimeoutMs: Infinity })).toEqual({
    exposure: 'A run can do little.',
  });
  expect(slow.looks()).toBe(4);
});

test('without patience it is looked for once', async () => {
  const slow = temporalOf(4);
  expect(await awaitOpening(slow, execution, { openingTimeoutMs: -1 })).toBeNull();
  expect(slow.looks()).toBe(1);
});

test('a worker that the server does not list yet is waited for', async () => {
  expect(await awaitOpening(temporalOf(3, 2), execution, { openingTimeoutMs: Infinity })).toEqual({
    exposure: 'A run can do little.',
  });
});
