import { inWorkflowContext, workflowInfo } from '@temporalio/workflow';
import { isHistoryTooLarge } from '../../../domain/research/continue-as-new.ts';
import { wake, type State } from '../state.ts';

/**
 * True if the history is so large that the workflow must continue as new. False outside a workflow, after an eviction.
 */
export const isOverfull = (): boolean => inWorkflowContext() && isHistoryTooLarge(workflowInfo());

/** Wakes the loop if the history is too large: a message that changes nothing else may have made it so. */
export function wakeOverfull(state: State): void {
  if (isOverfull()) wake(state);
}
