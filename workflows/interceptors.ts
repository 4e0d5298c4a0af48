import type { WorkflowInterceptors, WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { MANY_SIGNALS } from '../domain/messages/names.ts';
import { manySignals } from './interceptors/many-signals.ts';
import { senders } from './interceptors/senders.ts';
import { traceQuietTasks } from './interceptors/trace-quiet-tasks.ts';

const PREFIX = '__temporal_';

const isReserved = (name: string): boolean => name.startsWith(PREFIX) || name === MANY_SIGNALS;

/**
 * Renames signals with a reserved name before the SDK reads them, so that they count as unknown signals. With a default
 * signal handler, a signal under a name of the SDK fails every later workflow task (SDK 1.x: `Cannot use signal name`).
 * The name of joined signals is reserved, too: only the next interceptor may use it.
 */
const reservedNames: WorkflowInternalsInterceptor = {
  activate(input, next) {
    for (const { signalWorkflow } of input.activation.jobs ?? [])
      if (signalWorkflow && isReserved(signalWorkflow.signalName ?? ''))
        signalWorkflow.signalName = `reserved name ${signalWorkflow.signalName}`;
    return next(input);
  },
};

/** The interceptors of all workflows of a worker. */
export function interceptors(): WorkflowInterceptors {
  const { inbound, internals } = traceQuietTasks();
  return { inbound: [senders, ...inbound], internals: [reservedNames, manySignals, ...internals] };
}
