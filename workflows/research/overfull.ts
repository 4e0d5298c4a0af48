import { inWorkflowContext, patched, workflowInfo } from '@temporalio/workflow';
import { isTooLarge } from '../../domain/hand-over.ts';
import { wake, type State } from './state.ts';

/** The history must be handed over at any price. Histories from before were not looked at so; nor is one that was left. */
export const isOverfull = (): boolean =>
  inWorkflowContext() && isTooLarge(workflowInfo()) && patched('quiet-hand-over');

/** A message that changes nothing may still be the one that makes the history too large. */
export function wakeOverfull(state: State): void {
  if (isOverfull()) wake(state);
}
