import type { ConcludeActivationInput, WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { expect, test } from 'vitest';
import { traceQuietTasks } from '../../../workflows/interceptors/trace-quiet-tasks.ts';

type Command = ConcludeActivationInput['commands'][number];
type Jobs = NonNullable<Parameters<NonNullable<WorkflowInternalsInterceptor['activate']>>[0]['activation']['jobs']>;

const OTHER: Jobs = [{ fireTimer: {} }];
const UPDATE: Jobs = [{ doUpdate: {} }];
const REFUSED: Command = { updateResponse: { rejected: {} } };
const ACCEPTED: Command = { updateResponse: { accepted: {} } };
const ANSWER: Command = { respondToQuery: {} };
const ACTIVITY: Command = { scheduleActivity: {} };

/** A character for each activation: `x` if it leaves a trace, else `.`. */
async function traces(activations: [jobs: Jobs, ...commands: Command[]][], guards = true): Promise<string> {
  const { inbound, internals } = traceQuietTasks(() => guards);
  await inbound[0]?.execute?.({ args: [], headers: {} }, () => Promise.resolve(undefined));
  const marks = activations.map(([jobs, ...commands]) => {
    internals[0]?.activate?.({ activation: { jobs }, batchIndex: 0 }, () => undefined);
    const concluded = internals[0]?.concludeActivation?.({ commands }, (input) => input);
    const isTraced = concluded?.commands.some(({ modifyWorkflowProperties }) => modifyWorkflowProperties);
    return isTraced ? 'x' : '.';
  });
  return marks.join('');
}

test('every second of the tasks in a row that ask for nothing leaves a trace', async () => {
  expect(await traces([[OTHER, ACTIVITY], [OTHER], [OTHER], [OTHER], [OTHER], [OTHER, ACTIVITY], [OTHER]])).toBe(
    '..x.x..',
  );
});

test('a task that asks for something leaves its own event, and so does an accepted update', async () => {
  expect(await traces([[OTHER], [OTHER, ACTIVITY], [OTHER], [UPDATE, ACCEPTED], [OTHER]])).toBe('.....');
});

test('refused updates and queries leave no trace and count as no task, since a replay has none', async () => {
  expect(await traces([[OTHER], [UPDATE, REFUSED], [[{ queryWorkflow: {} }], ANSWER], [OTHER]])).toBe('...x');
  expect(await traces([[OTHER, ACTIVITY], [UPDATE, REFUSED], [OTHER]])).toBe('...');
});

test('a task that hands nothing to the workflow leaves no trace and counts as no task', async () => {
  expect(await traces([[OTHER], [[]], [OTHER]])).toBe('..x');
  expect(await traces([[OTHER, ACTIVITY], [[]], [OTHER]])).toBe('...');
});

test('an accepted update leaves its own event, also if it is refused then or beside a refused one', async () => {
  expect(await traces([[OTHER], [UPDATE, ACCEPTED, REFUSED], [OTHER]])).toBe('...');
  expect(await traces([[OTHER], [[...UPDATE, ...UPDATE], REFUSED, ACCEPTED], [OTHER]])).toBe('...');
});

test('a refused update beside something else is a task that asks for nothing', async () => {
  expect(await traces([[OTHER], [[...UPDATE, ...OTHER], REFUSED]])).toBe('.x');
});

test('a command that is cancelled in its own task leaves no event', async () => {
  expect(await traces([[OTHER], [OTHER, { startTimer: {} }, { cancelTimer: {} }]])).toBe('.x');
});

test('a trial gets no traces', async () => {
  expect(await traces([[OTHER], [OTHER], [OTHER]], false)).toBe('...');
});
