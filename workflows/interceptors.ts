import type { WorkflowInterceptors } from '@temporalio/workflow';
import { manySignals } from './interceptors/many-signals.ts';
import { reservedNames } from './interceptors/reserved-names.ts';

/** What stands between the SDK and the workflows of a worker. */
export const interceptors = (): WorkflowInterceptors => ({ internals: [reservedNames, manySignals] });
