/**
 * The oldest minor version whose workflows this code replays. On its start, a worker ends older workflows, then
 * restarts their researches from the database. The next minor version raises the floor (CONTRIBUTING.md).
 */
export const FLOOR = 3;

/** The field of a workflow's memo that holds the floor of the code that runs it. The workflow itself writes it. */
export const FLOOR_MEMO = 'floor';

/** The field of a workflow's memo that holds the id of the ended run that this workflow replaces. */
export const RESTART_MEMO = 'restartOf';

/** Begin of the reason, in every version. */
const REASON = 'begun by a Perpetua older than 0.';

/** Reason that a worker gives when it ends an older workflow. */
export const END_REASON =
  `${REASON}${FLOOR}, which this version cannot continue; ` +
  'if the research is unfinished, it is restarted under this id';

/** True for the reason of a worker of any version, false for a person's reason. */
export const isEndReason = (reason: string | null): boolean => reason?.startsWith(REASON) === true;

/** The floor in a memo; 0 if it has none, as in 0.1. */
export function floorOf(memo: Readonly<Record<string, unknown>> | undefined): number {
  const floor = memo?.[FLOOR_MEMO];
  return typeof floor === 'number' ? floor : 0;
}
