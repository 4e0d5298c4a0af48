import type { UpdatePlan } from './plan.ts';

/** Seconds of waiting that do not depend on the length of a run: for a policy server, a host, a slot. */
const AT_LEAST_SECONDS = 600;
/** Number of consecutive runs that a sample's run may wait for or repeat. */
const RUNS = 10;

/** Seconds after a batch's last outcome at which its samples without an outcome count as late. */
export const lateAfter = ({ lateSeconds }: Pick<UpdatePlan, 'lateSeconds'>, budgetSeconds: number): number =>
  lateSeconds ?? AT_LEAST_SECONDS + RUNS * budgetSeconds;

/** Reason why an update excludes a late sample; stored. */
export const LATE = 'late: it had no outcome when the update became due';
