import { z } from 'zod';
import { AUDIT_FIRST, AUDIT_SHARE } from '../abort/audit/lot.ts';
import { ABORT_RULES } from '../abort/names.ts';
import { DEFAULT_ABORT } from '../abort/types.ts';
import { TRIAL_KINDS } from '../trial.ts';

/** The axes of a method (a value that is not built yet is refused by name, in the loader). */
export const Search = z.strictObject({
  parent: z.enum(['original', 'lead', 'best', 'puct', 'islands']).default('lead'),
  context: z.enum(['none', 'history', 'lineage', 'notes']).default('history'),
  proposer: z
    .enum(['auto', 'llm', 'agent', 'random', 'tpe', 'command', 'replay'])
    .default('auto')
    .describe('auto: llm where a model endpoint is set when the research starts, else random'),
  specialists: z.enum(['none', 'roster']).default('none'),
  novelty: z.enum(['exact', 'distance', 'bonus']).default('exact'),
  abort: z
    .enum(ABORT_RULES)
    .optional()
    .describe('rule that stops runs that cannot win; default: matched-time where runs print progress lines, else none'),
  update: z.enum(['none', 'bandit', 'grpo', 'sdpo', 'ppo']).default('none'),
  window: z
    .union([z.literal('auto'), z.number().int().min(1).max(1000)])
    .default('auto')
    .describe('trials under way at once'),
  history: z.number().int().min(0).max(200).default(20).describe('outcomes shown to the proposer'),
});

/** Values of {@link Search} that exist in the schema but are not built yet. */
export const NOT_BUILT: Partial<Record<keyof z.infer<typeof Search>, readonly string[]>> = {
  parent: ['puct', 'islands'],
  context: ['lineage', 'notes'],
  proposer: ['agent', 'tpe', 'command', 'replay'],
  specialists: ['roster'],
  novelty: ['distance', 'bonus'],
  update: ['bandit', 'grpo', 'sdpo', 'ppo'],
};

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
        .number()
        .int()
        .min(0)
        .max(MOST_AUDITS)
        .default(AUDIT_FIRST)
        .describe('would-be stops that all run on to their end'),
      share: z.number().min(0).max(1).default(AUDIT_SHARE).describe('share of the later ones that run on, by lot'),
    })
    .prefault({}),
});

/** When a candidate becomes the incumbent. */
export const Keep = z.strictObject({
  policy: z.enum(['strict', 'noise-gated']).default('noise-gated'),
  falseKeepsPer200: z.number().gt(0).lt(1).default(0.05).describe('expected false keeps per 200 search trials'),
  baselineRuns: z.number().int().min(1).max(100).optional().describe('default: 10 for noise-gated, 1 for strict'),
});

export const LlmSettings = z.strictObject({
  model: z.string().min(1).optional().describe('default: OPENAI_MODEL'),
  temperature: z.number().min(0).max(2).default(1),
  maxTokens: z.number().int().positive().default(16384),
  deadlineSeconds: z.number().positive().max(3600).default(300).describe('total, over all retries of the client'),
  attempts: z.number().int().min(1).max(10).default(3).describe('answers asked for before the trial ends as rejected'),
});

/** What ends a research, or makes it wait for a raise. Pauses do not count as hours. */
export const Budget = z.strictObject({
  trials: z.number().int().positive().optional(),
  hours: z.number().positive().optional(),
  tokens: z.number().int().positive().optional(),
  usd: z.number().positive().optional(),
  counts: z.array(z.enum(TRIAL_KINDS)).default(['search', 'injected']).describe('kinds that count as trials'),
  whenSpent: z.enum(['stop', 'wait']).default('stop'),
});

/** One number or choice that the random proposer may change: `const NAME = value` or `NAME = value` in a file. */
export const Knob = z.discriminatedUnion('type', [
  z.strictObject({
    file: z.string().min(1),
    name: z.string().min(1),
    type: z.enum(['float', 'int']),
    range: z.tuple([z.number(), z.number()]),
    scale: z.enum(['linear', 'log']).default('linear'),
  }),
  z.strictObject({
    file: z.string().min(1),
    name: z.string().min(1),
    type: z.literal('choice'),
    values: z.array(z.union([z.string(), z.number(), z.boolean()])).min(2),
  }),
]);

export type Abort = z.infer<typeof Abort>;
export type Search = z.infer<typeof Search>;
export type Keep = z.infer<typeof Keep>;
export type Budget = z.infer<typeof Budget>;
export type Knob = z.infer<typeof Knob>;
export type LlmSettings = z.infer<typeof LlmSettings>;
