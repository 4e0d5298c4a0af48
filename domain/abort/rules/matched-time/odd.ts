import { peersOf } from './against-good.ts';
import type { Look } from './look.ts';
import type { MatchedState } from './state.ts';

/** Best known runs that are good enough to count, whatever `y` is, */
const BEST = 30;
/** but no more than one in so many: of thirty or fewer it would be all of them. */
const ONE_IN = 2;

/**
 * How many good runs showed a value absurdly above the others' there, if that of the run that is judged is one, too. Bad runs do not
 * count: one that began slowly, and ended as it looked, would keep all that begin so from being stopped.
 */
export function howManyAsOdd(state: MatchedState, { g, x, y }: Pick<Look, 'g' | 'x' | 'y'>): number {
  const to = state.sums[g]?.fence.to ?? Infinity;
  if (x <= to) return 0;
  const fewest = Math.min(BEST, Math.ceil(state.known.length / ONE_IN));
  return peersOf(state, y, fewest).filter(({ means }) => (means[g] ?? 0) > to).length;
}
