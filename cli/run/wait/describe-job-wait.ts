import type { Failing } from '../../temporal/failing.ts';

/** Facts of an open job that explain why it makes no progress. */
export interface JobProgress {
  pool: string | null;
  /** Condition that the job waits for while it holds a slot, in words; null: none. */
  waitsFor: string | null;
  failing: Pick<Failing, 'activity' | 'message'>[];
  /** Message of the last launch's failure; null if a later launch succeeded, or none failed. */
  launchFailed: string | null;
  /** Names of activities that no worker has started; null stands for a workflow task. */
  unstartedActivities: (string | null)[];
  /** True if a worker polls, or has polled within the last minutes. */
  hasPoller: boolean;
}

/** Describes why a job waits; null if it does not wait, or the reason is not known. */
export function describeJobWait({
  pool,
  waitsFor,
  failing,
  launchFailed,
  unstartedActivities: unstarted,
  hasPoller,
}: JobProgress): string | null {
  if (waitsFor !== null) return `it waits for ${waitsFor}`;
  const [first] = failing;
  if (first) return `${first.activity ?? 'its workflow'} fails and is retried: ${first.message}`;
  if (launchFailed !== null) return `its launch fails and is retried: ${launchFailed}`;
  // A launch waits in the queue of its pool until a slot is free.
  if (unstarted.includes('launch') && hasPoller) return `it waits for a free slot of the pool ${pool ?? 'of its task'}`;
  return unstarted.length > 0 ? 'no worker takes its work, so it does not start. Start one: npx perpetua worker' : null;
}
