import { z } from 'zod';
import { AUDIT_SHARE, BY_PLAN } from '../abort/audit/audit-plan.ts';
import { DEFAULT_ABORT } from '../abort/types.ts';
import { ABORTS, DEFAULT_RULE } from '../abort/table.ts';
import { MODEL_FIELDS } from '../llm/model-settings.ts';
import { choiceSchema } from '../method/axis.ts';
import { CONTEXTS } from './context/table.ts';
import { KEEP_POLICIES } from './keep.ts';
import { NOVELTY } from './novelty.ts';
import { PARENTS } from './parent/table.ts';
import { AUTO, PROPOSERS } from './proposer/table.ts';
import { REWARDS } from './reward/table.ts';
import { SPECIALISTS } from './specialists.ts';
import { UPDATES } from './update/table.ts';
import { LARGEST_WINDOW } from '../window/largest.ts';

/** Most runs of one candidate that a search makes by itself. */
const MOST_RERUNS = 100_000;

/** The axes of a method. Each accepts a name from its table, or `{ name, …settings }`. */
export const Search = z.strictObject({
  parent: choiceSchema(PARENTS)
    .default('lead')
    .describe('the candidate that a proposal starts from (docs/concepts/parents.md)'),
  context: choiceSchema(CONTEXTS).default('history').describe('what the prompt contains of earlier trials'),
  proposer: choiceSchema(PROPOSERS, AUTO).default(AUTO).meta({
    description: 'who proposes; `auto`: `llm` if a model endpoint is set when the research starts, else `mix`',
    hint: "a model's name belongs under llm.model",
  }),
  specialists: choiceSchema(SPECIALISTS)
    .default('none')
    .describe('`none`: specialists are arms of `mix` (docs/guides/models/specialists.md)'),
  novelty: choiceSchema(NOVELTY)
    .default('exact')
    .describe('which candidates count as known; `rerun` limits how often one runs'),
  rerun: z
    .number()
    .int()
    .min(1)
    .max(MOST_RERUNS)
    .optional()
    .meta({
      description:
        'runs of one candidate; once it has them, a further proposal of it ends as `cached` ' +
        '(docs/guides/learning/rewards.md#copies)',
      otherwise: '`4` if `search.update` is not `none`, else `1`',
    }),
  cache: z
    .boolean()
    .optional()
    .meta({
      description:
        'take values that other researches measured for the same candidate, under the same version of the task, in ' +
        'the same Python environment and on the same hardware (docs/concepts/duplicates.md#values-of-other-researches)',
      otherwise: '`false`',
    }),
  abort: choiceSchema(ABORTS)
    .optional()
    .meta({
      description: 'rule that stops search trials that cannot win (docs/concepts/early-abort.md)',
      otherwise: `\`${DEFAULT_RULE}\` with \`progress\`, else \`none\``,
    }),
  reward: choiceSchema(REWARDS)
    .default('none')
    .describe('rule for the reward of a proposal, from which a proposer learns (docs/guides/learning/rewards.md)'),
  update: choiceSchema(UPDATES)
    .default('none')
    .describe(
      'how a proposer with weights of its own learns from the rewards of its proposals ' +
        '(docs/guides/learning/settings.md#updates)',
    ),
  window: z
    .union([z.literal('auto'), z.number().int().min(1).max(LARGEST_WINDOW)])
    .default('auto')
    .describe('trials under way at once; `auto` follows measured times'),
  history: z.number().int().min(0).max(200).default(20).describe('earlier trials that the prompt shows'),
});

/** A number of audits that no research reaches, for auditing every would-be stop. */
export const MOST_AUDITS = 1_000_000;

/** Settings of early abort. Shares are fractions. */
export const Abort = z.strictObject({
  errorTarget: z
    .number()
    .gt(0)
    .lte(1 / 15)
    .default(DEFAULT_ABORT.errorTarget)
    .describe(
      'largest share of the future incumbents that early abort may stop (at most 1/15); ' +
        'the audit applies it to the share of wrong stops, too',
    ),
  burnIn: z
    .number()
    .min(0)
    .lt(1)
    .default(DEFAULT_ABORT.burnIn)
    .describe('share of the budget before which no run is stopped'),
  cadence: z
    .number()
    .min(0.005)
    .lt(1)
    .default(DEFAULT_ABORT.cadence)
    .describe('share of the budget between two decisions'),
  audit: z
    .strictObject({
      first: z
        .union([z.literal(BY_PLAN), z.number().int().min(0).max(MOST_AUDITS)])
        .default(BY_PLAN)
        .describe(
          'first would-be stops, which run to their end; `auto`: 3 up to `budget.trials` of 60, 4 up to 150, else 5',
        ),
      share: z
        .number()
        .min(0)
        .max(1)
        .default(AUDIT_SHARE)
        .describe('share of the later would-be stops that run to their end, drawn at random'),
    })
    .prefault({}),
  carry: z
    .boolean()
    .default(true)
    .describe(
      'begin with the finished curves of earlier researches of equal metric, evaluator, budget, progress rule and ' +
        'machines; `false` if researches are to be compared with each other',
    ),
});

/** Settings of the rule by which a candidate becomes the incumbent. */
export const Keep = z.strictObject({
  policy: z
    .enum(KEEP_POLICIES)
    .default('noise-gated')
    .describe('when a candidate becomes the incumbent (docs/concepts/verdicts.md)'),
  falseKeepsPer200: z.number().gt(0).lt(1).default(0.05).describe('expected false keeps per 200 search trials'),
  baselineRuns: z
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({
      description: 'runs of the unmodified version; `noise-gated` runs at least 3',
      otherwise:
        '1 for `strict`; 10 for `noise-gated`, or a quarter of a `budget.trials` below 40, at least 3, until two of ' +
        'them have equal values',
    }),
});

export const LlmSettings = z.strictObject({
  provider: MODEL_FIELDS.provider.optional().meta({
    description: 'provider of the model, which has an endpoint on the worker (docs/guides/models/providers.md)',
    otherwise: 'the first of them with an endpoint and a model',
  }),
  model: MODEL_FIELDS.model.optional().meta({
    description: 'name of the model',
    otherwise: '`OPENAI_MODEL`, `ANTHROPIC_MODEL` or `GEMINI_MODEL` of the worker',
  }),
  temperature: MODEL_FIELDS.temperature
    .default(1)
    .describe("temperature of the sampling; `null`: no temperature is sent, so that the endpoint's default counts"),
  maxTokens: MODEL_FIELDS.maxTokens.default(16384).describe('tokens of one answer'),
  deadlineSeconds: z.number().positive().max(3600).default(300).describe('time limit of one call with its retries'),
  attempts: z
    .number()
    .int()
    .min(1)
    .max(10)
    .default(3)
    .describe('answers that Perpetua requests before the trial ends as `rejected`'),
  edits: z
    .enum(['text', 'tools', 'auto'])
    .default('text')
    .describe(
      'form of the edits in an answer: `text`; `tools`: calls of a tool by schema; ' +
        '`auto`: tools, and text if the endpoint refuses tools (docs/guides/tasks/edits.md)',
    ),
  files: z
    .array(z.string().min(1))
    .max(100)
    .default([])
    .describe('globs of immutable text files of the workspace that the prompt contains'),
  body: MODEL_FIELDS.body.optional().meta({
    description: 'further keys of each request, such as `reasoning_effort: high` (docs/guides/models.md)',
    otherwise: 'no further keys',
  }),
});

export type Abort = z.infer<typeof Abort>;
export type Search = z.infer<typeof Search>;
export type Keep = z.infer<typeof Keep>;
export type LlmSettings = z.infer<typeof LlmSettings>;
