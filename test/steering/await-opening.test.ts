import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { awaitOpening } from '../../steering/await-opening.ts';
import type { Temporal } from '../../cli/context.ts';

const ANSWER = defaultPayloadConverter.toPayload({ taskName: 'toy', exposure: 'A run can do little.' });
const OPENED = [
  { eventId: 5, activityTaskScheduledEventAttributes: { activityType: { name: 'openResearch' } } },
  { eventId: 7, activityTaskCompletedEventAttributes: { scheduledEventId: 5, result: { payloads: [ANSWER] } } },
];

/** A fake server: its worker polls from probe `pollsFrom` on, and has opened the research by probe `openedBy`. */
function temporalOf(openedBy: number, pollsFrom = 0): Temporal & { probes: () => number } {
  let probes = 0;
  const workflowService = {
    getWorkflowExecutionHistory: () => {
      probes += 1;
      return Promise.resolve({ history: { events: probes < openedBy ? [] : OPENED } });
    },
    describeTaskQueue: () => {
      const poller = { lastAccessTime: { seconds: Math.round(Date.now() / 1000) } };
      return Promise.resolve({ pollers: probes < pollsFrom ? [] : [poller] });
    },
  };
  const fake = { client: { workflowService }, address: { namespace: 'n' }, probes: () => probes };
  return fake as unknown as ReturnType<typeof temporalOf>;
}
const execution = { workflowId: 'w', runId: 'r' };

test('an opening is waited for until the timeout', async () => {
  const slow = temporalOf(4);
  expect(await awaitOpening(slow, execution, { openingTimeoutMs: Infinity })).toEqual({
    exposure: 'A run can do little.',
  });
  expect(slow.probes()).toBe(4);
});

test('an opening is probed for once without a timeout', async () => {
  const slow = temporalOf(4);
  expect(await awaitOpening(slow, execution, { openingTimeoutMs: -1 })).toBeNull();
  expect(slow.probes()).toBe(1);
});

test('a worker that the server does not list yet is waited for', async () => {
  expect(await awaitOpening(temporalOf(3, 2), execution, { openingTimeoutMs: Infinity })).toEqual({
    exposure: 'A run can do little.',
  });
});
