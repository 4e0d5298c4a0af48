import type { WorkflowInternalsInterceptor } from '@temporalio/workflow';

const PREFIX = '__temporal_';

/**
 * A signal under a name of the SDK's own fails every workflow task from then on where there is a handler for all other
 * names (SDK 1.x: `Cannot use signal name`). Renamed before the SDK looks at it, it is a signal that nobody knows.
 */
export const reservedNames: WorkflowInternalsInterceptor = {
  activate(input, next) {
    for (const { signalWorkflow } of input.activation.jobs ?? [])
      if (signalWorkflow?.signalName?.startsWith(PREFIX))
        signalWorkflow.signalName = `reserved name ${signalWorkflow.signalName}`;
    return next(input);
  },
};
