import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { MANY_SIGNALS } from '../../domain/messages/names.ts';
import { SENDER_HEADER } from '../../domain/messages/sender.ts';

/** Signals in one workflow task up to which the SDK delivers them one by one. */
const FEW = 100;

const NOTHING = defaultPayloadConverter.toPayload(null);

type Jobs = NonNullable<Parameters<NonNullable<WorkflowInternalsInterceptor['activate']>>[0]['activation']['jobs']>;

/**
 * Batches signals in a row into one signal, with three arguments for each: name, argument, sender. After hours without
 * a worker, thousands of signals may wait for one workflow task, which has ten or twenty seconds. Each signal costs the
 * SDK more than half a millisecond: some eight promises, each with a stack trace.
 */
export const manySignals: WorkflowInternalsInterceptor = {
  activate(input, next) {
    const jobs = input.activation.jobs ?? [];
    if (jobs.filter(({ signalWorkflow }) => signalWorkflow).length > FEW) input.activation.jobs = batched(jobs);
    return next(input);
  },
};

function batched(jobs: Jobs): Jobs {
  const kept: Jobs = [];
  let parts: Payload[] | null = null;
  for (const job of jobs) {
    const { signalWorkflow: signal } = job;
    if (!signal) parts = null;
    if (!signal || parts === null) kept.push(job);
    if (!signal) continue;
    const [first = NOTHING] = signal.input ?? [];
    const sender = signal.headers?.[SENDER_HEADER] ?? NOTHING;
    const named = [defaultPayloadConverter.toPayload(signal.signalName ?? ''), first, sender];
    if (parts === null) {
      parts = [];
      signal.signalName = MANY_SIGNALS;
      signal.input = parts;
    }
    parts.push(...named);
  }
  return kept;
}
