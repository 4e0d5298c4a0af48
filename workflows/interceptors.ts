import type { WorkflowInterceptors } from '@temporalio/workflow';
import { manySignals } from './interceptors/many-signals.ts';
import { noTwoQuiet } from './interceptors/no-two-quiet.ts';
import { reservedNames } from './interceptors/reserved-names.ts';

/** What stands between the SDK and the workflows of a worker. */
export function interceptors(): WorkflowInterceptors {
  const { inbound, internals } = noTwoQuiet();
  return { inbound, internals: [reservedNames, manySignals, ...internals] };
}
