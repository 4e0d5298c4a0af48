import { plural } from '../domain/text/plural.ts';
import { formatSeconds } from '../domain/text/format.ts';
import { oneLine } from '../domain/text/sanitize.ts';

/** Trials of a research that wait for a slot of a pool. */
export interface Queue {
  /** That of the trial that has waited longest; others are not counted. */
  pool: string;
  trials: number;
  /** How long that has been. */
  seconds: number;
  /** Slots of the pool that are lent, or may be now. */
  slots: number;
  /** Those that a trial of any research holds. */
  taken: number;
  /** Trials that hold them, the longest leases first; the first few. */
  holders: { trial: string; seconds: number }[];
  /** Hosts of the pool that lend nothing now, and why. */
  away: { host: string; why: string }[];
}

/** Trials of a research that hold a slot and cannot begin there. */
export interface Wait {
  trials: number;
  /** The obstacle of the oldest of them, in words. */
  why: string;
}

/** `2 trials wait for room on box: disk: …` */
export const describeWait = ({ trials, why }: Wait): string =>
  `${plural(trials, 'trial')} ${trials === 1 ? 'waits' : 'wait'} for ${why}`;

/** Hosts that are named. */
const HOSTS = 5;

/**
 * Why trials that are ready don't run: `2 trials wait for a slot of lab, the first for 40 s; 1 of 1 is taken: other/3 for
 * 2 min; box is drained`.
 */
export function describeQueue(queue: Queue): string {
  const { pool, trials, seconds } = queue;
  const wait = trials === 1 ? 'waits' : 'wait';
  const waited = `${plural(trials, 'trial')} ${wait} for a slot of ${pool}, the first for ${formatSeconds(seconds)}`;
  return [waited, ...describeSlots(queue)].join('; ');
}

/** Why one trial that is ready does not run. */
export const describeTrialsWait = (queue: Queue): string =>
  [`for a slot of ${queue.pool}, for ${formatSeconds(queue.seconds)}`, ...describeSlots(queue)].join('; ');

/** Holders of the slots, and hosts that lend none. */
function describeSlots({ pool, slots, taken, holders, away }: Queue): string[] {
  const names = holders.map(({ trial, seconds }) => `${trial} for ${formatSeconds(seconds)}`);
  const held = names.length === 0 ? '' : `: ${[...names, ...(taken > names.length ? ['…'] : [])].join(', ')}`;
  const none = pool !== 'local' && away.length === 0 ? `no host of the fleet is in ${pool}` : `${pool} has none now`;
  const lent = slots === 0 ? none : `${taken} of ${slots} ${taken === 1 ? 'is' : 'are'} taken${held}`;
  const named = away.slice(0, HOSTS).map(({ host, why }) => `${host} ${oneLine(why)}`);
  const others = away.length > HOSTS ? [`${plural(away.length - HOSTS, 'other host')} lend none`] : [];
  return [lent, ...named, ...others];
}
