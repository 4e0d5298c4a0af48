import type { WorkflowInterceptors, WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { MANY_SIGNALS } from '../domain/messages/names.ts';
import { manySignals } from './interceptors/many-signals.ts';
import { traceQuietTasks } from './interceptors/trace-quiet-tasks.ts';

const PREFIX = '__temporal_';

const isReserved = (name: string): boolean => name.startsWith(PREFIX) || name === MANY_SIGNALS;

/**
 * A signal under a name of the SDK's own fails every workflow task from then on where there is a handler for all other
 * names (SDK 1.x: `Cannot use signal name`). Renamed before the SDK looks at it, it is a signal that nobody knows; so is one
 * under the name of many, which have yet to be joined.
 */
const reservedNames: WorkflowInternalsInterceptor = {
  activate(input, next) {
    for (const { signalWorkflow } of input.activation.jobs ?? [])
      if (signalWorkflow && isReserved(signalWorkflow.signalName ?? ''))
        signalWorkflow.signalName = `reserved name ${signalWorkflow.signalName}`;
    return next(input);
  },
};

/** What stands between the SDK and the workflows of a worker. */
export function interceptors(): WorkflowInterceptors {
  const { inbound, internals } = traceQuietTasks();
  return { inbound, internals: [reservedNames, manySignals, ...internals] };
}
