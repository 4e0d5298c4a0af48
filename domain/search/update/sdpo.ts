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
    .describe("where student and teacher are compared: over all tokens, the student's likeliest, or the one it drew"),
  topK: z.number().int().min(1).exactOptional().describe('default: 20 with distillation top-k'),
  teacher: z.enum(['base', 'ema']).default('base').describe('ema follows the policy slowly; the base stays'),
  emaRate: z.number().min(0).max(1).exactOptional().describe('default: 0.01 with teacher ema'),
  ratioCap: z.number().min(1e-6).nullable().default(2).describe('largest probability ratio of a token, or null'),
  solutions: z.boolean().default(true).describe('the teacher is shown a better answer of the same group'),
  feedback: z
    .strictObject({ completed: feedbackText, failed: feedbackText, rejected: feedbackText, aborted: feedbackText })
    .default({})
    .describe(
      'what the teacher is told of an outcome, by its class; a small model copies a failed value that is named',
    ),
  distillationWeight: z.number().min(0).max(1).default(1).describe('the rest of the loss is that of grpo'),
  grpo: z.strictObject(GROUP).exactOptional().describe('with distillationWeight below 1'),
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
    refuse(['ratioCap'], 'a number, since samples may be stale (staleness) and nothing else would correct for it');
}

function checkTeaching({ solutions, feedback }: SdpoSettings, refuse: Refuse): void {
  const texts = OUTCOME_CLASSES.flatMap((outcome) => {
    const text = feedback[outcome];
    return text === undefined ? [] : [{ outcome, text }];
  });
  if (!solutions && texts.length === 0) refuse(['solutions'], 'true, or a text in feedback: the teacher knows no more');
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
