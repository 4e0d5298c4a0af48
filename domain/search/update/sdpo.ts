import { z } from 'zod';
import { OUTCOME_CLASSES, type OutcomeClass } from '../../learning/outcome-class.ts';
import { placeholdersOf, placeholdersIn } from '../../learning/fill-template.ts';
import { defineLearningUpdate } from '../update.ts';
import { checkClip, GROUP, groupOf } from './clip.ts';
import { gatesOf, NO_SPREAD, TEACHER } from './gates.ts';
import { checking, checkLearning, LEARNING, buildUpdatePlan, type Refuse } from './settings.ts';

const feedbackText = z.string().min(1).max(4000).exactOptional();
const uncheckedSettings = z.strictObject({
  ...LEARNING,
  distillation: z
    .enum(['full-logits', 'top-k', 'sampled-token'])
    .default('full-logits')
    .describe("tokens over which student and teacher are compared: all, the student's most likely, or the sampled one"),
  topK: z.number().int().min(1).exactOptional().describe('number of tokens with distillation top-k; default: 20'),
  teacher: z.enum(['base', 'ema']).default('base').describe('base: version 0; ema: a moving average of the policy'),
  emaRate: z.number().min(0).max(1).exactOptional().describe('rate of the average with teacher ema; default: 0.01'),
  ratioCap: z.number().min(1e-6).nullable().default(2).describe('largest probability ratio of a token, or null'),
  solutions: z.boolean().default(true).describe("the teacher's prompt contains a better answer of the same group"),
  feedback: z
    .strictObject({ completed: feedbackText, failed: feedbackText, rejected: feedbackText, aborted: feedbackText })
    .default({})
    .describe(
      "text about an outcome in the teacher's prompt, by class; a small model copies a failed value that it names",
    ),
  distillationWeight: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('weight of the distillation in the loss; the rest is the loss of grpo'),
  grpo: z.strictObject(GROUP).exactOptional().describe('settings of grpo, with distillationWeight below 1'),
});
type SdpoSettings = z.output<typeof uncheckedSettings>;

const settings = uncheckedSettings.superRefine(
  checking((given, refuse) => {
    checkLearning(given, refuse);
    checkDistillation(given, refuse);
    checkTeaching(given, refuse);
  }),
);

function checkDistillation(given: SdpoSettings, refuse: Refuse): void {
  const { distillation, topK, teacher, emaRate, distillationWeight, grpo, oldLogprobs, ratioCap, staleness } = given;
  if (topK !== undefined && distillation !== 'top-k') refuse(['topK'], 'none, since distillation is not top-k');
  if (emaRate !== undefined && teacher !== 'ema') refuse(['emaRate'], 'none, since teacher is not ema');
  if (grpo !== undefined && distillationWeight === 1) refuse(['grpo'], 'none, since distillationWeight is 1');
  if (grpo !== undefined) checkClip(grpo, refuse, ['grpo']);
  if (oldLogprobs === 'sampler' && ratioCap === null && staleness > 0)
    refuse(['ratioCap'], 'a number, since samples may be stale (staleness) and nothing else corrects for that');
}

function checkTeaching({ solutions, feedback }: SdpoSettings, refuse: Refuse): void {
  const texts = OUTCOME_CLASSES.flatMap((outcome) => {
    const text = feedback[outcome];
    return text === undefined ? [] : [{ outcome, text }];
  });
  if (!solutions && texts.length === 0)
    refuse(['solutions'], "true, or a text in feedback: otherwise the teacher has the student's prompt");
  for (const { outcome, text } of texts) {
    const strange = placeholdersIn(text).find((name) => !placeholdersOf(outcome).includes(name));
    if (strange === undefined) continue;
    const known = placeholdersOf(outcome).map((name) => `{${name}}`);
    refuse(['feedback', outcome], `a text with no other placeholder than ${known.join(', ')}, not {${strange}}`);
  }
}

/** SDPO, alone or mixed with GRPO: the policy distils itself from a prompt with a better answer or with feedback. */
export const sdpo = defineLearningUpdate({
  settings,
  plan: (given) => {
    const { distillation, teacher, ratioCap, solutions, feedback, distillationWeight } = given;
    const mixed = distillationWeight < 1;
    return buildUpdatePlan(given, {
      algorithm: {
        name: 'sdpo',
        distillation,
        teacher,
        ratioCap,
        distillationWeight,
        topK: distillation === 'top-k' ? (given.topK ?? 20) : null,
        emaRate: teacher === 'ema' ? (given.emaRate ?? 0.01) : null,
        grpo: mixed ? groupOf(given.grpo ?? z.strictObject(GROUP).parse({})) : null,
      },
      teacher: { solutions, feedback: feedback satisfies Partial<Record<OutcomeClass, string>> },
      gates: [...gatesOf(given), ...(mixed ? NO_SPREAD : []), ...TEACHER],
    });
  },
});
