import type { UpdatePlan } from './plan.ts';

/** Waiting that has nothing to do with how long a run takes: for a policy server, a host, a slot. */
const AT_LEAST_SECONDS = 600;
/** Runs that one may wait for, or be begun again after, one after the other. */
const RUNS = 10;

/** Seconds after the last outcome of a batch after which its samples without one are late. */
export const lateAfter = ({ lateSeconds }: Pick<UpdatePlan, 'lateSeconds'>, budgetSeconds: number): number =>
  lateSeconds ?? AT_LEAST_SECONDS + RUNS * budgetSeconds;

/** Why an update left a late sample out. */
export const LATE = 'late: it had no outcome when the update was made due without it';
