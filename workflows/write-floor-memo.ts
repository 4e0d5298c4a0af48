import { upsertMemo, workflowInfo } from '@temporalio/workflow';
import { FLOOR, FLOOR_MEMO, floorOf } from '../domain/floor/floor.ts';

/**
 * Writes the floor of this code into the memo, if the memo does not have it. A workflow calls this first, since the
 * program that started it may have been of any version.
 */
export function writeFloorMemo(): void {
  if (floorOf(workflowInfo().memo) !== FLOOR) upsertMemo({ [FLOOR_MEMO]: FLOOR });
}
