import { lastShare } from '../share-curve.ts';
import { plainDecision } from './plain-decision.ts';
import { NO_SETTINGS } from '../../method/axis.ts';
import { defineAbort } from '../types.ts';

/** Aborts nothing. */
export const none = defineAbort({
  settings: NO_SETTINGS,
  stops: false,
  needsEnded: 0,
  canTighten: false,
  takesCurveForMetric: false,
  carries: false,
  init: (): null => null,
  learn: () => null,
  decide: (_, { points, budget }) => ({
    state: null,
    decision: plainDecision(false, lastShare(points, budget), 'early abort is off'),
  }),
});
