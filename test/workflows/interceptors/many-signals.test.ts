import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { MANY_SIGNALS } from '../../../domain/messages/names.ts';
import { manySignals } from '../../../workflows/interceptors/many-signals.ts';

type Activate = NonNullable<typeof manySignals.activate>;
type Jobs = NonNullable<Parameters<Activate>[0]['activation']['jobs']>;

const pause = (): Jobs[number] => ({ signalWorkflow: { signalName: 'pause', input: [] } });
const note = (n: number): Jobs[number] => ({
  signalWorkflow: { signalName: 'note', input: [n, 'more'].map((each) => defaultPayloadConverter.toPayload(each)) },
});

/** The jobs that the SDK receives: signals as their names and arguments. */
function deliveredJobs(jobs: Jobs): unknown[] {
  let seen: Jobs = [];
  const input = { activation: { jobs }, batchIndex: 0 };
  manySignals.activate?.(input, ({ activation }) => void (seen = activation.jobs ?? []));
  return seen.map(({ signalWorkflow: signal }) =>
    signal
      ? [signal.signalName, ...(signal.input ?? []).map((each) => defaultPayloadConverter.fromPayload(each))]
      : 'another job',
  );
}

test('a hundred signals are delivered to the workflow one by one', () => {
  expect(deliveredJobs(Array.from({ length: 100 }, pause))).toEqual(Array(100).fill(['pause']));
});

test('more signals become one batch of names and first arguments, on each side of another job', () => {
  const others = Array.from({ length: 100 }, pause);
  expect(deliveredJobs([note(1), pause(), { fireTimer: { seq: 1 } }, note(2), ...others])).toEqual([
    [MANY_SIGNALS, 'note', 1, 'pause', null],
    'another job',
    [MANY_SIGNALS, 'note', 2, ...others.flatMap(() => ['pause', null])],
  ]);
});
