import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { FLOOR, FLOOR_MEMO } from '../../domain/floor/floor.ts';
import { updateIdOf } from '../../domain/trial/ids.ts';
import { QUEUES, WORKFLOWS } from '../../domain/messages/names.ts';
import type { update } from '../update.ts';
import { wake, type State } from './state.ts';

/** Starts a due update. An update that an earlier run of the chain started reports its end by a signal. */
export async function startUpdate(state: State, k: number): Promise<void> {
  if (state.updating.has(k)) return;
  state.updating.add(k);
  const over = (): void => {
    state.updating.delete(k);
    wake(state);
  };
  const { id: researchId } = state;
  try {
    const child = await startChild<typeof update>(WORKFLOWS.update, {
      workflowId: updateIdOf(researchId, k),
      args: [{ researchId, k, tempo: state.input.tempo ?? 1 }],
      taskQueue: QUEUES.main,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      memo: { [FLOOR_MEMO]: FLOOR },
      staticSummary: `update ${k}`,
    });
    void child.result().then(over, over);
  } catch (error) {
    state.updating.delete(k);
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
