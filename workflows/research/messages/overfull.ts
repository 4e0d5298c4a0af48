import { inWorkflowContext, workflowInfo } from '@temporalio/workflow';
import { isHistoryTooLarge } from '../../../domain/research/continue-as-new.ts';
import { wake, type State } from '../state.ts';

/** The history must be handed over at any price. A workflow that was evicted has none. */
export const isOverfull = (): boolean => inWorkflowContext() && isHistoryTooLarge(workflowInfo());

/** A message that changes nothing may still be the one that makes the history too large. */
export function wakeOverfull(state: State): void {
  if (isOverfull()) wake(state);
}
