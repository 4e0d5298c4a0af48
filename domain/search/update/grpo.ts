import { z } from 'zod';
import { defineLearningUpdate } from '../update.ts';
import { checkClip, GROUP, groupOf } from './clip.ts';
import { gatesOf, NO_SPREAD } from './gates.ts';
import { checking, checkLearning, LEARNING, buildUpdatePlan } from './settings.ts';

const settings = z.strictObject({ ...LEARNING, ...GROUP }).superRefine(
  checking((given, refuse) => {
    checkLearning(given, refuse);
    checkClip(given, refuse);
  }),
);

/** GRPO with clip-higher and a dual clip: the advantage of a sample is relative to the other samples of its group. */
export const grpo = defineLearningUpdate({
  settings,
  plan: (given) =>
    buildUpdatePlan(given, {
      algorithm: { name: 'grpo', ...groupOf(given) },
      teacher: null,
      gates: [...gatesOf(given), ...NO_SPREAD],
    }),
});
