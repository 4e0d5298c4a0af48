import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { MANY_SIGNALS } from '../../../domain/messages/names.ts';
import { SENDER_HEADER } from '../../../domain/messages/sender.ts';
import { manySignals } from '../../../workflows/interceptors/many-signals.ts';

type Activate = NonNullable<typeof manySignals.activate>;
type Jobs = NonNullable<Parameters<Activate>[0]['activation']['jobs']>;

const pause = (): Jobs[number] => ({ signalWorkflow: { signalName: 'pause', input: [] } });
const note = (n: number): Jobs[number] => ({
  signalWorkflow: { signalName: 'note', input: [n, 'more'].map((each) => defaultPayloadConverter.toPayload(each)) },
});

const sent = (signalName: string, sender: string): Jobs[number] => ({
  signalWorkflow: { signalName, headers: { [SENDER_HEADER]: defaultPayloadConverter.toPayload(sender) } },
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

test('more signals become one batch of names, first arguments and senders, on each side of another job', () => {
  const others = Array.from({ length: 100 }, pause);
  expect(
    deliveredJobs([note(1), sent('pause', 'page'), pause(), { fireTimer: { seq: 1 } }, note(2), ...others]),
  ).toEqual([
    [MANY_SIGNALS, 'note', 1, null, 'pause', null, 'page', 'pause', null, null],
    'another job',
    [MANY_SIGNALS, 'note', 2, null, ...others.flatMap(() => ['pause', null, null])],
  ]);
});
