/**
 * The minor version whose workflows this code replays. Workflows of a lower one are ended when a worker of this one starts,
 * and begun again from the database; the next minor version raises it (CONTRIBUTING.md).
 */
export const FLOOR = 3;

/** The field of a workflow's memo that holds the floor of the code that runs it. Written by the workflow, not by who starts it. */
export const FLOOR_MEMO = 'floor';

/** The field of a workflow's memo that holds the id of the run that a worker ended and began again with it. */
export const RESTART_MEMO = 'restartOf';

const REASON = 'begun by a Perpetua older than 0.';

/** The reason that a worker gives where it ends an older workflow. */
export const END_REASON = `${REASON}${FLOOR}, which this version cannot continue; if it has not ended, it starts again under this id from the database`;

/** True for the reason of a worker of any version, false for that of a person. */
export const isEndReason = (reason: string | null): boolean => reason?.startsWith(REASON) === true;

/** The floor that a memo tells; 0 where it tells none, as those of 0.1. */
export function floorOf(memo: Readonly<Record<string, unknown>> | undefined): number {
  const floor = memo?.[FLOOR_MEMO];
  return typeof floor === 'number' ? floor : 0;
}
