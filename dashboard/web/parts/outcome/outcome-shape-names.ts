import type { Outcome } from '../../../api/outcomes.ts';
import type { Shape } from '../../../../view/figure/shapes.ts';

/** Shapes of the outcomes on a canvas and in exported files. They match the badges' shapes in `OUTCOME_SHAPES`. */
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
