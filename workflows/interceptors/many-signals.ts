import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { MANY_SIGNALS } from '../../domain/messages/names.ts';

/** Signals of one workflow task that are handed to the workflow one by one, as the SDK does. */
const FEW = 100;

type Jobs = NonNullable<Parameters<NonNullable<WorkflowInternalsInterceptor['activate']>>[0]['activation']['jobs']>;

/**
 * Thousands of signals may wait for one workflow task, after hours without a worker. Each costs the SDK more than half a
 * millisecond (some eight promises, each with its stack trace), and a workflow task has ten or twenty seconds. So that those in a row
 * become one signal: the name and the first argument of each, in their order.
 */
export const manySignals: WorkflowInternalsInterceptor = {
  activate(input, next) {
    const jobs = input.activation.jobs ?? [];
    if (jobs.filter(({ signalWorkflow }) => signalWorkflow).length > FEW) input.activation.jobs = joined(jobs);
    return next(input);
  },
};

function joined(jobs: Jobs): Jobs {
  const kept: Jobs = [];
  let parts: Payload[] | null = null;
  for (const job of jobs) {
    const { signalWorkflow: signal } = job;
    if (!signal) parts = null;
    if (!signal || parts === null) kept.push(job);
    if (!signal) continue;
    const [first = defaultPayloadConverter.toPayload(null)] = signal.input ?? [];
    const named = [defaultPayloadConverter.toPayload(signal.signalName ?? ''), first];
    if (parts === null) {
      parts = [];
      signal.signalName = MANY_SIGNALS;
      signal.input = parts;
    }
    parts.push(...named);
  }
  return kept;
}
