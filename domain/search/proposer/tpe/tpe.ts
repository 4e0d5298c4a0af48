import { z } from 'zod';
import { createRandom } from '../../../statistics/random.ts';
import { defineProposer, type DrawInput, type Draw } from '../../proposer.ts';
import { evenDraw } from '../space/even-draw.ts';
import { drawPoint } from '../space/set-point.ts';
import { choosePoint } from './choose-point.ts';
import { groupsOf } from './groups.ts';

const TpeSettings = z.strictObject({
  startup: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(10)
    .describe('observations of the code as it stands before which all knobs are drawn evenly'),
  candidates: z.number().int().min(1).max(200).default(24).describe('draws among which a proposal is chosen'),
  share: z
    .number()
    .gt(0)
    .lte(0.5)
    .default(0.1)
    .describe('share of the observations that count as good; at most 25 of them'),
});

/** Draws with at most this many knobs take the distance of neighbours as the bandwidth. */
const FEW_KNOBS = 3;

/**
 * Draws all knobs by a tree-structured Parzen estimator with joint densities (Bergstra, Bardenet, Bengio, Kégl:
 * Algorithms for hyper-parameter optimization, NIPS 2011; Falkner, Klein, Hutter: BOHB, ICML 2018).
 */
function draw(
  { knobs, files, seed, observations, structure }: DrawInput,
  settings: z.output<typeof TpeSettings>,
): Draw {
  const random = createRandom(seed);
  return drawPoint({ knobs, files }, (space) => {
    const { axes } = space;
    const { good, bad, seen } = groupsOf({ space, observations, structure }, settings);
    if (seen < settings.startup) return evenDraw(axes, random);
    const rule = axes.length <= FEW_KNOBS ? 'neighbours' : 'scott';
    return choosePoint({ axes, good, bad, random }, { candidates: settings.candidates, rule });
  });
}

export const tpe = defineProposer({
  settings: TpeSettings,
  needs: ['knobs'],
  writes: 'knobs',
  readsPrompt: false,
  runs: 'at-once',
  observes: { best: 100, latest: 1000 },
  draw,
  onKnown: 'neighbours',
});
