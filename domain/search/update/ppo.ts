import { z } from 'zod';
import { defineLearningUpdate } from '../update.ts';
import { checkClip, CLIP, clipOf } from './clip.ts';
import { gatesOf, VALUES } from './gates.ts';
import { checking, checkLearning, LEARNING, buildUpdatePlan } from './settings.ts';

const settings = z
  .strictObject({
    ...LEARNING,
    ...CLIP,
    gamma: z.number().min(0).max(1).default(1).describe('discount of a reward for each token'),
    lambda: z.number().min(0).max(1).default(0.95).describe('how far the advantages look ahead (GAE)'),
    whitenAdvantages: z.boolean().default(true).describe('advantages are centred and scaled over the batch'),
    valueClip: z
      .number()
      .min(1e-12)
      .nullable()
      .default(0.2)
      .describe("largest change of a value over an update's epochs, in standard deviations of the rewards, or null"),
    valueCoefficient: z.number().min(0).default(0.5).describe('weight of the loss of the values'),
    valueLr: z
      .number()
      .min(0)
      .max(1e3)
      .default(0.2)
      .describe(
        'learning rate of the value head; a step moves a value by at most valueLr standard deviations of the rewards',
      ),
  })
  .superRefine(
    checking((given, refuse) => {
      checkLearning(given, refuse);
      checkClip(given, refuse);
    }),
  );

/** PPO with GAE: the advantage of a token is relative to the prediction of a value head. */
export const ppo = defineLearningUpdate({
  settings,
  plan: (given) => {
    const { gamma, lambda, whitenAdvantages, valueClip, valueCoefficient, valueLr } = given;
    const valueSettings = { gamma, lambda, whitenAdvantages, valueClip, valueCoefficient, valueLr };
    return buildUpdatePlan(given, {
      algorithm: { name: 'ppo', ...clipOf(given), ...valueSettings },
      teacher: null,
      gates: [...gatesOf(given), ...(given.valueLr > 0 ? VALUES : [])],
    });
  },
});
