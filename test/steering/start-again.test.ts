import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { Temporal } from '../../steering/with-client.ts';
import { startAgain, type Ended } from '../../steering/start-again.ts';
import { TASK } from '../cli/support/lineage.ts';

const OPENED = [
  { eventId: 5, activityTaskScheduledEventAttributes: { activityType: { name: 'openResearch' } } },
  {
    eventId: 7,
    activityTaskCompletedEventAttributes: {
      scheduledEventId: 5,
      result: { payloads: [defaultPayloadConverter.toPayload({ taskName: 'toy', exposure: null })] },
    },
  },
];

interface Fake {
  /** State that the last workflow reports; default: Temporal no longer has it. */
  state?: { window: number; windowFixed: boolean };
  /** Error of the start. */
  failure?: Error;
}

/** A fake server with a worker. `starts`: the arguments of each start. */
function temporalOf({ state, failure }: Fake): { temporal: Temporal; starts: unknown[] } {
  const starts: unknown[] = [];
  const query = () => (state ? Promise.resolve(state) : Promise.reject(new Error('gone')));
  const workflow = {
    getHandle: () => ({ query }),
    start: (_: string, { args }: { args: unknown[] }) => {
      if (failure) return Promise.reject(failure);
      starts.push(args[0]);
      return Promise.resolve({ firstExecutionRunId: 'run' });
    },
  };
  const workflowService = {
    getWorkflowExecutionHistory: () => Promise.resolve({ history: { events: OPENED } }),
    describeTaskQueue: () => {
      const seconds = Math.round(Date.now() / 1000);
      return Promise.resolve({ pollers: [{ lastAccessTime: { seconds } }] });
    },
  };
  const connection = { withDeadline: <T>(_: number, work: () => T) => work() };
  const client = { workflow, workflowService, connection, options: { namespace: 'n' } };
  return { temporal: { client, address: { namespace: 'n' } } as unknown as Temporal, starts };
}

const ended = (changes: Partial<Ended> = {}): Ended => ({
  id: 'toy',
  phase: 'stopped',
  lastN: 4,
  task: TASK,
  budget: TASK.budget,
  gateConfig: {},
  admitted: {},
  activeSeconds: 0,
  tokens: 0,
  usd: 0,
  refunded: {},
  slotSeconds: 0,
  withoutNew: 0,
  secondsAtClaim: 0,
  ...changes,
});

test.each([
  [
    { window: 6, windowFixed: true },
    { task: TASK.name, window: 6 },
  ],
  [
    { window: 3, windowFixed: false },
    { task: TASK.name, window: 'auto' },
  ],
])('a research whose last workflow says %j is started with %j', async (state, args) => {
  const { temporal, starts } = temporalOf({ state });
  expect(await startAgain(temporal, ended())).toEqual({ lines: ['toy is open again: 4 trials so far'], notes: [] });
  expect(starts).toEqual([args]);
});

test("a research whose last workflow is gone has its task's window, and that is said", async () => {
  const { temporal, starts } = temporalOf({});
  expect((await startAgain(temporal, ended())).notes).toEqual([
    'its last window is unknown, so it has that of its task',
  ]);
  expect(starts).toEqual([{ task: TASK.name }]);
});

test.each([
  [{ phase: 'running' as const }, 'Expected an ended research toy, it is running.'],
  [{ budget: { ...TASK.budget, trials: 0 } }, 'Expected a research that searches; toy is a check or an evaluation.'],
  [{ gateConfig: { measuresOnly: true } }, 'Expected a research that searches; toy is a check or an evaluation.'],
])('a research with %j is not started', async (changes, why) => {
  const { temporal, starts } = temporalOf({});
  await expect(startAgain(temporal, ended(changes))).rejects.toMatchObject({ code: 'refused', message: why });
  expect(starts).toEqual([]);
});

test('a research that somebody else started meanwhile is refused', async () => {
  const failure = Object.assign(new Error('started'), { name: 'WorkflowExecutionAlreadyStartedError' });
  await expect(startAgain(temporalOf({ failure }).temporal, ended())).rejects.toMatchObject({
    code: 'refused',
    message: 'The research toy is open already.',
  });
});
