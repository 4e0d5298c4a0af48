import { upsertMemo, workflowInfo } from '@temporalio/workflow';
import { FLOOR, FLOOR_MEMO, floorOf } from '../domain/floor/floor.ts';

/**
 * Writes the floor of this code into the memo: the first act of a workflow, since who started it may have been of any
 * version. Costs an event only where the memo does not say so already.
 */
export function writeFloorMemo(): void {
  if (floorOf(workflowInfo().memo) !== FLOOR) upsertMemo({ [FLOOR_MEMO]: FLOOR });
}
