import type { Outcome } from '../../../api/outcomes.ts';
import type { Shape } from '../../../../view/figure/shapes.ts';

/** Shapes of outcomes on a canvas and in files, equal to those of the page's badges. */
export const OUTCOME_SHAPE_NAMES: Record<Outcome, Shape> = {
  keep: 'star',
  confirm: 'diamond',
  discard: 'dot',
  absorbed: 'square',
  scored: 'ring',
  'stopped-early': 'triangle',
  failed: 'cross',
  cached: 'dash',
};
