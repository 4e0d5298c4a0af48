import { NO_SETTINGS } from '../../../method/axis.ts';
import { createRandom } from '../../../statistics/random.ts';
import { defineProposer } from '../../proposer.ts';
import { evenDraw } from './even-draw.ts';
import { drawPoint } from './set-point.ts';

/** Draws every knob evenly over its range, whatever the parent's values are: the baseline of all search methods. */
export const uniform = defineProposer({
  settings: NO_SETTINGS,
  needs: ['knobs'],
  writes: 'knobs',
  readsPrompt: false,
  runs: 'at-once',
  draw: ({ knobs, files, seed }) => drawPoint({ knobs, files }, ({ axes }) => evenDraw(axes, createRandom(seed))),
  onKnown: 'neighbours',
});
