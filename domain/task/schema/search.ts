import { z } from 'zod';
import { AUDIT_SHARE, BY_PLAN } from '../../abort/audit/lot.ts';
import { DEFAULT_ABORT } from '../../abort/types.ts';
import { ABORTS } from '../../abort/table.ts';
import { choiceOf } from '../../search/axis.ts';
import { CONTEXTS } from '../../search/context/table.ts';
import { KEEP_POLICIES } from '../../search/keep.ts';
import { NOVELTY } from '../../search/novelty.ts';
import { PARENTS } from '../../search/parent/table.ts';
import { AUTO, PROPOSERS } from '../../search/proposer/table.ts';
import { REWARDS } from '../../search/reward/table.ts';
import { SPECIALISTS } from '../../search/specialists.ts';
import { UPDATES } from '../../search/update/table.ts';
import { LARGEST_WINDOW } from '../../window/largest.ts';
import { MOST } from './fields.ts';

/** The axes of a method; each takes a name or `{ name, …settings }` of its table. */
export const Search = z.strictObject({
  parent: choiceOf(PARENTS).default('lead').describe('the candidate that a proposal is made from'),
  context: choiceOf(CONTEXTS).default('history').describe('what a proposer that reads a prompt is told'),
  proposer: choiceOf(PROPOSERS, AUTO)
    .default(AUTO)
    .describe('auto: llm where a model endpoint is set when the research starts, else random'),
  specialists: choiceOf(SPECIALISTS).default('none'),
  novelty: choiceOf(NOVELTY).default('exact'),
  abort: choiceOf(ABORTS)
    .optional()
    .describe('rule that stops runs that cannot win; default: matched-time where runs print progress lines, else none'),
  reward: choiceOf(REWARDS)
    .default('none')
    .describe('what the outcome of a proposal is worth to a proposer that learns'),
  update: choiceOf(UPDATES).default('none'),
  window: z
    .union([z.literal('auto'), z.number().int().min(1).max(LARGEST_WINDOW)])
    .default('auto')
    .describe('trials under way at once'),
  history: z.number().int().min(0).max(200).default(20).describe('outcomes shown to the proposer'),
});

/** More than any research has: all of them. */
export const MOST_AUDITS = 1_000_000;

/** How carefully runs are stopped early; shares are fractions. */
export const Abort = z.strictObject({
  errorTarget: z
    .number()
    .gt(0)
    .lte(1 / 15)
    .default(DEFAULT_ABORT.errorTarget)
    .describe('largest wanted share of stops among runs that would have become incumbent'),
  burnIn: z
    .number()
    .min(0)
    .lt(1)
    .default(DEFAULT_ABORT.burnIn)
    .describe('share of the budget before which no run is stopped'),
  cadence: z.number().min(0.005).lt(1).default(DEFAULT_ABORT.cadence).describe('share of the budget from look to look'),
  audit: z
    .strictObject({
      first: z
        .union([z.literal(BY_PLAN), z.number().int().min(0).max(MOST_AUDITS)])
        .default(BY_PLAN)
        .describe('would-be stops that all run on to their end; auto: 3 to 5, by the trials of the budget'),
      share: z.number().min(0).max(1).default(AUDIT_SHARE).describe('share of the later ones that run on, by lot'),
    })
    .prefault({}),
  carry: z
    .boolean()
    .default(true)
    .describe('begin with finished curves of earlier researches of equal metric, budget, progress and machines'),
});

/** When a candidate becomes the incumbent. */
export const Keep = z.strictObject({
  policy: z.enum(KEEP_POLICIES).default('noise-gated'),
  falseKeepsPer200: z.number().gt(0).lt(1).default(0.05).describe('expected false keeps per 200 search trials'),
  baselineRuns: z.number().int().min(1).max(100).optional().describe('default: 10 for noise-gated, 1 for strict'),
});

export const LlmSettings = z.strictObject({
  model: z.string().min(1).optional().describe('default: OPENAI_MODEL'),
  temperature: z.number().min(0).max(2).default(1),
  maxTokens: z.number().int().positive().max(MOST.answerTokens).default(16384),
  deadlineSeconds: z.number().positive().max(3600).default(300).describe('total, over all retries of the client'),
  attempts: z.number().int().min(1).max(10).default(3).describe('answers asked for before the trial ends as rejected'),
  files: z
    .array(z.string().min(1))
    .max(100)
    .default([])
    .describe('globs of immutable files of the workspace that the model is shown'),
});

export type Abort = z.infer<typeof Abort>;
export type Search = z.infer<typeof Search>;
export type Keep = z.infer<typeof Keep>;
export type LlmSettings = z.infer<typeof LlmSettings>;
