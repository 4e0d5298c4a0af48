import { peersOf } from './against-good.ts';
import type { Look } from './look.ts';
import type { MatchedState } from './state.ts';

/**
 * How many good runs showed a value absurdly above the others' there, if that of the run that is judged is one, too. Bad runs do not
 * count: one that began slowly, and ended as it looked, would keep all that begin so from being stopped.
 */
export function howManyAsOdd(state: MatchedState, { g, x, y }: Pick<Look, 'g' | 'x' | 'y'>): number {
  const to = state.sums[g]?.fence.to ?? Infinity;
  return x > to ? peersOf(state, y).filter(({ means }) => (means[g] ?? 0) > to).length : 0;
}
