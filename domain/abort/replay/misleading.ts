import { isContrary } from '../rules/matched-time/regression.ts';
import { emptyState, learnMatched } from '../rules/matched-time/state.ts';
import type { AbortConfig } from '../types.ts';
import type { ReplayCurve } from './types.ts';

/** Curves that are looked at: learning them takes their number squared. */
const MOST = 500;

/** Whether runs whose curves look better at their end have the worse finals, by more than chance, over all of them. */
export const isMisleading = (curves: readonly ReplayCurve[], config: AbortConfig): boolean =>
  isContrary(curves.slice(0, MOST).reduce(learnMatched, emptyState(config)));
