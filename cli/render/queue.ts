import type { Queue } from '../../db/reads/read-queue.ts';
import { howMany } from '../../domain/how-many.ts';
import { formatSeconds } from './number.ts';
import { oneLine } from './text.ts';

/** Hosts that are named. */
const HOSTS = 5;

/**
 * Why trials that are ready don't run: `2 trials wait for a slot of lab, the first for 40 s; 1 of 1 is taken: other/3 for
 * 2 min; box is drained`.
 */
export function describeQueue(queue: Queue): string {
  const { pool, trials, seconds } = queue;
  const wait = trials === 1 ? 'waits' : 'wait';
  const waited = `${howMany(trials, 'trial')} ${wait} for a slot of ${pool}, the first for ${formatSeconds(seconds)}`;
  return [waited, ...describeSlots(queue)].join('; ');
}

/** Why one trial that is ready does not run. */
export const describeTrialsWait = (queue: Queue): string =>
  [`for a slot of ${queue.pool}, for ${formatSeconds(queue.seconds)}`, ...describeSlots(queue)].join('; ');

/** Who holds the slots, and which hosts lend none. */
function describeSlots({ pool, slots, taken, holders, away }: Queue): string[] {
  const names = holders.map(({ trial, seconds }) => `${trial} for ${formatSeconds(seconds)}`);
  const held = names.length === 0 ? '' : `: ${[...names, ...(taken > names.length ? ['…'] : [])].join(', ')}`;
  const none = pool !== 'local' && away.length === 0 ? `no host of the fleet is in ${pool}` : `${pool} has none now`;
  const lent = slots === 0 ? none : `${taken} of ${slots} ${taken === 1 ? 'is' : 'are'} taken${held}`;
  const named = away.slice(0, HOSTS).map(({ host, why }) => `${host} ${oneLine(why)}`);
  const others = away.length > HOSTS ? [`${howMany(away.length - HOSTS, 'other host')} lend none`] : [];
  return [lent, ...named, ...others];
}
