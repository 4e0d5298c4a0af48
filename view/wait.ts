import { plural } from '../domain/text/plural.ts';
import { formatSeconds } from '../domain/text/format.ts';
import { oneLine } from '../domain/text/sanitize.ts';

/** Trials of a research that wait for a slot of a pool. */
export interface Queue {
  /** Pool of the trial that has waited longest; waits for other pools are not counted. */
  pool: string;
  trials: number;
  /** Seconds of the longest wait. */
  seconds: number;
  /** Slots of the pool that are leased or can be leased now. */
  slots: number;
  /** Slots that trials of any research hold. */
  taken: number;
  /** The first few trials that hold slots, longest leases first. */
  holders: { trial: string; seconds: number }[];
  /** Hosts of the pool that lend no slots now, with the reason. */
  away: { host: string; why: string }[];
}

/** Trials of a research that hold a slot and cannot start on it. */
export interface Wait {
  trials: number;
  /** Obstacle of the oldest such trial, in words. */
  why: string;
}

/** Describes a wait: `2 trials wait for room on the disk of box: …` */
export const describeWait = ({ trials, why }: Wait): string =>
  `${plural(trials, 'trial')} ${trials === 1 ? 'waits' : 'wait'} for ${why}`;

/** Largest number of hosts that are named. */
const MOST_HOSTS = 5;

/**
 * Describes the wait of ready trials: `2 trials wait for a slot of lab, the first for 40 s; 1 of 1 slot is taken:
 * other/3 for 2 min; box is drained`.
 */
export function describeQueue(queue: Queue): string {
  const { pool, trials, seconds } = queue;
  const wait = trials === 1 ? 'waits' : 'wait';
  const waited = `${plural(trials, 'trial')} ${wait} for a slot of ${pool}, the first for ${formatSeconds(seconds)}`;
  return [waited, ...describeSlots(queue)].join('; ');
}

/** Describes the wait of one ready trial, as a phrase after `waits`. */
export const describeTrialsWait = (queue: Queue): string =>
  [`for a slot of ${queue.pool}, for ${formatSeconds(queue.seconds)}`, ...describeSlots(queue)].join('; ');

/** Describes the holders of a pool's slots, and the hosts that lend none. */
function describeSlots({ pool, slots, taken, holders, away }: Queue): string[] {
  const names = holders.map(({ trial, seconds }) => `${trial} for ${formatSeconds(seconds)}`);
  if (names.length > 0 && taken > names.length) names.push('…');
  const held = names.length === 0 ? '' : `: ${names.join(', ')}`;
  const none = pool !== 'local' && away.length === 0 ? `no host of the fleet is in ${pool}` : `${pool} has no slot now`;
  const lent = slots === 0 ? none : `${taken} of ${plural(slots, 'slot')} ${taken === 1 ? 'is' : 'are'} taken${held}`;
  const named = away.slice(0, MOST_HOSTS).map(({ host, why }) => `${host} ${oneLine(why)}`);
  if (away.length > MOST_HOSTS) named.push(`${plural(away.length - MOST_HOSTS, 'other host')} lend no slot`);
  return [lent, ...named];
}
