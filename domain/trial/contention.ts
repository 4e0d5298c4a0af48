import { formatSeconds } from '../text/format.ts';
import { plural } from '../text/plural.ts';
import type { ReportedEnd } from './outcome.ts';

/** CPU share of wall clock below which a run that waited for a CPU lacked its core. */
const LACKS_CORE_BELOW = 0.9;
/** Shortest run, in seconds, that can lack its core: in a shorter run the start-up alone decides the share. */
const LACKS_CORE_FROM_SECONDS = 1;
/** Shortest wait for a CPU, in seconds, that counts: a shorter one may be start-up or chance. */
const LEAST_WAIT_SECONDS = 0.5;

/** True if a CPU-budgeted run ended well but shared its core with other processes. */
export const sharedCore = (end: ReportedEnd): boolean => end.reason === 'exit' && end.exitCode === 0 && lackedCore(end);

/**
 * True if other processes kept a run from its core, however the run ended. Its share of the core must be low, and its
 * wait for a CPU alone must explain that: at least 1 − LACKS_CORE_BELOW of wall clock. Sleep and waits for a disk do
 * not count. Else a run that expects a bad score could sleep to be run again. A run with an unknown wait lacked
 * nothing.
 */
export const lackedCore = (end: ReportedEnd): boolean =>
  end.wallSeconds >= LACKS_CORE_FROM_SECONDS &&
  end.cpuSeconds / end.wallSeconds < LACKS_CORE_BELOW &&
  (end.waitSeconds ?? 0) >= Math.max(LEAST_WAIT_SECONDS, (1 - LACKS_CORE_BELOW) * end.wallSeconds);

/**
 * True if the backstop ended a run before it had its time limit, which does not count the time in which other processes
 * kept the run from a CPU.
 */
export const lackedTime = ({ reason, backstop }: ReportedEnd): boolean => reason === 'wall' && backstop === true;

/** Describes the contention of a run for people: its wait for a CPU, and the load of its machine if that is known. */
export function describeContention({ wallSeconds, waitSeconds = 0, load }: ReportedEnd): string {
  const waited =
    'other processes kept the run from a CPU for ' +
    `${formatSeconds(waitSeconds)} of its ${formatSeconds(wallSeconds)}`;
  if (load === undefined) return waited;
  return `${waited}; load ${load.average} on ${plural(load.cores, 'core')}`;
}
