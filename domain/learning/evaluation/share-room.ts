/** A quarter of the window is for evaluations while proposals would take all: one slot in four. */
const SHARE = 4;

/**
 * Divides the room of an admission between evaluations and new proposals. Evaluations take the room that proposals
 * leave, such as while an update runs. In a window of four or more they also have a share of their own, so that they
 * end.
 */
export function shareRoom({
  room,
  proposals,
  waiting,
  open,
  window,
}: {
  room: number;
  /** Proposals that may start. */
  proposals: number;
  /** Evaluations that wait, and those under way. */
  waiting: number;
  open: number;
  window: number;
}): { evaluations: number; proposals: number } {
  const own = Math.max(0, Math.floor(window / SHARE) - open);
  const evaluations = Math.max(0, Math.min(waiting, room, Math.max(own, room - proposals)));
  return { evaluations, proposals: Math.max(0, Math.min(proposals, room - evaluations)) };
}
