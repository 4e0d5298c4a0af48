import { NO_SETTINGS } from '../../method/axis.ts';
import { createRandom } from '../../statistics/random.ts';
import { defineProposer, type Draw, type DrawInput } from '../proposer.ts';
import { evenDraw } from './space/even-draw.ts';
import { drawPoint } from './space/set-point.ts';
import { turnKnobs } from './turn-knobs.ts';

/** Least number of even draws at the start. */
const LEAST_EVEN = 5;

/**
 * Changes some knobs of the parent at random: often one, sometimes all. The first draws, one for every two knobs, are
 * even over the whole space, since with many knobs a bad start is left slowly.
 */
function draw({ knobs, files, seed, observations }: DrawInput): Draw {
  const { total, inFlight } = observations;
  // The unmodified version is the first of the candidates.
  const drawn = total + inFlight.length - 1;
  if (drawn >= Math.max(LEAST_EVEN, knobs.length / 2)) return turnKnobs({ knobs, files, seed });
  return drawPoint({ knobs, files }, ({ axes }) => evenDraw(axes, createRandom(seed)));
}

export const random = defineProposer({
  settings: NO_SETTINGS,
  needs: ['knobs'],
  writes: 'knobs',
  readsPrompt: false,
  runs: 'at-once',
  // Their number alone is read.
  observes: { best: 0, latest: 0 },
  draw,
  onKnown: 'neighbours',
});
