import { lastShare } from '../curve.ts';
import { plain } from './say.ts';
import type { AbortRule } from '../types.ts';

/** Aborts nothing. */
export const none: AbortRule<null> = {
  init: () => null,
  learn: () => null,
  decide: (_, { points, budget }) => ({
    state: null,
    decision: plain(false, lastShare(points, budget), 'early abort is off'),
  }),
};
