import type { Failing } from '../../temporal/failing.ts';

/** Facts of a job under way that tell why nothing comes of it. */
export interface JobProgress {
  pool: string | null;
  /** What it waits for on the slot that it holds. */
  waitsFor: string | null;
  failing: Pick<Failing, 'activity' | 'message'>[];
  /** Why the last launch failed, where none has succeeded since. */
  launchFailed: string | null;
  /** Activities that no worker has taken up; null for the workflow's own task. */
  unstartedActivities: (string | null)[];
  /** Whether a worker polls, or did so minutes ago. */
  hasPoller: boolean;
}

/** Why a job waits, for whoever waits for it; null where it does not, as far as anybody can tell. */
export function describeJobWait({
  pool,
  waitsFor,
  failing,
  launchFailed,
  unstartedActivities: untaken,
  hasPoller: isPolled,
}: JobProgress): string | null {
  if (waitsFor !== null) return `it waits for ${waitsFor}`;
  const [first] = failing;
  if (first) return `${first.activity ?? 'its workflow'} fails, and is tried again: ${first.message}`;
  if (launchFailed !== null) return `its launch fails, and is tried again: ${launchFailed}`;
  // The queue of a pool hands it on where a slot is free.
  if (untaken.includes('launch') && isPolled) return `it waits for a free slot of the pool ${pool ?? 'of its task'}`;
  return untaken.length > 0 ? 'no worker takes it up, so it does not begin. Start one: npx perpetua worker' : null;
}
