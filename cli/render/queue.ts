import type { Queue } from '../../db/reads/read-queue.ts';
import { howMany } from '../../domain/how-many.ts';
import { formatSeconds } from './number.ts';
import { oneLine } from './text.ts';

/** Why trials that are ready don't run: `2 trials wait for a slot of lab for 40 s at most, 3 of 4 taken; box is drained`. */
export function describeQueue({ pool, trials, seconds, slots, taken, away }: Queue): string {
  const wait = trials === 1 ? 'waits' : 'wait';
  const lent = slots === 0 ? 'which has none now' : `${taken} of ${slots} taken`;
  const waited = `${howMany(trials, 'trial')} ${wait} for a slot of ${pool} for ${formatSeconds(seconds)} at most, ${lent}`;
  return [waited, ...away.map(({ host, why }) => `${host} ${oneLine(why)}`)].join('; ');
}
