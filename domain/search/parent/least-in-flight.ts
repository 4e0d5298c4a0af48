import type { Random } from '../../statistics/random.ts';
import type { NicheView } from './tree.ts';

/** Draws one of the niches with the fewest trials in flight, so that concurrent choices spread. */
export function leastInFlight<N extends NicheView>(niches: readonly N[], random: Random): N {
  const least = Math.min(...niches.map(({ inFlight }) => inFlight));
  const among = niches.filter(({ inFlight }) => inFlight === least);
  const found = among[random.below(among.length)];
  if (found === undefined) throw new Error('Expected at least one niche to choose from, got none');
  return found;
}
