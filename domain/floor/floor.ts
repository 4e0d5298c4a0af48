/**
 * The minor version whose workflows this code replays. Workflows of a lower one are ended when a worker of this one starts,
 * and begun again from the database; the next minor version raises it (CONTRIBUTING.md).
 */
export const FLOOR = 2;

/** The field of a workflow's memo that holds the floor of the code that runs it. Written by the workflow, not by who starts it. */
export const FLOOR_MEMO = 'floor';

/** The floor that a memo tells; 0 where it tells none, as those of 0.1. */
export function floorOf(memo: Readonly<Record<string, unknown>> | undefined): number {
  const floor = memo?.[FLOOR_MEMO];
  return typeof floor === 'number' ? floor : 0;
}
