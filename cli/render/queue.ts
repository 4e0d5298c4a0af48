import type { Queue } from '../../db/reads/read-queue.ts';
import { howMany } from '../../domain/how-many.ts';
import { formatSeconds } from './number.ts';
import { oneLine } from './text.ts';

/** Hosts that are named. */
const HOSTS = 5;

/** Why trials that are ready don't run: `2 trials wait for a slot of lab, the first for 40 s; 3 of 4 are taken; box is drained`. */
export function describeQueue({ pool, trials, seconds, slots, taken, away }: Queue): string {
  const wait = trials === 1 ? 'waits' : 'wait';
  const waited = `${howMany(trials, 'trial')} ${wait} for a slot of ${pool}, the first for ${formatSeconds(seconds)}`;
  const lent = slots === 0 ? `${pool} has none now` : `${taken} of ${slots} are taken`;
  const named = away.slice(0, HOSTS).map(({ host, why }) => `${host} ${oneLine(why)}`);
  const others = away.length > HOSTS ? [`${howMany(away.length - HOSTS, 'other host')} lend none`] : [];
  return [waited, lent, ...named, ...others].join('; ');
}
