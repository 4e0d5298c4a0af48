import { z } from 'zod';
import type { Adapter } from '../../learning/step.ts';
import { ADJUSTABLE } from '../../learning/gates/adjust.ts';
import { type Gate, UPDATE_METRICS } from '../../learning/gates/gate.ts';
import type { UpdatePlan } from '../../learning/plan.ts';

const share = z.number().min(0).max(0.999999999);
const adapter = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('lora'),
      rank: z.number().int().min(1).max(1024).default(16),
      alpha: z.number().min(0).default(32),
      targets: z.array(z.string().min(1)).min(1).default(['q_proj', 'v_proj']).describe('modules of the model'),
    }),
    z.strictObject({ kind: z.literal('full') }),
  ])
  .prefault({ kind: 'lora' })
  .describe('weights that learn: low-rank ones, or all of them');

/** A gate on one metric of an update, as a task writes it. */
const GateSetting = z
  .strictObject({
    metric: z.enum(UPDATE_METRICS),
    below: z.number().exactOptional(),
    above: z.number().exactOptional(),
    updates: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .exactOptional()
      .describe('updates in a row beyond the limit before the gate fires; default: 1'),
    then: z.enum(['tell', 'adjust', 'halt']),
    adjust: z
      .strictObject({
        key: z.enum(ADJUSTABLE).describe('setting that is multiplied'),
        by: z.number().positive(),
        most: z.number().positive().exactOptional(),
      })
      .exactOptional(),
  })
  .superRefine(({ below, above, then, adjust }, context) => {
    const refuse = (path: string[], message: string): void => {
      context.addIssue({ code: 'custom', path, message });
    };
    if (below === undefined && above === undefined) refuse(['below'], 'a limit: below, above or both');
    if (then === 'adjust' && adjust === undefined) refuse(['adjust'], 'key and by, since then is adjust');
    if (then !== 'adjust' && adjust !== undefined) refuse(['adjust'], `none, since then is ${then}`);
  });

/** Settings of every learning method. With the defaults a model of 135M parameters learns in 12 to 20 updates. */
export const LEARNING = {
  batch: z.number().int().min(1).max(65_536).default(16).describe('samples that one update learns from'),
  group: z
    .number()
    .int()
    .min(1)
    .max(65_536)
    .default(8)
    .describe('samples of one prompt and one parent; batch is a multiple of it'),
  staleness: z.number().int().min(0).max(100).default(0).describe('updates that a sample may be behind; 0: lock step'),
  lateSeconds: z
    .number()
    .min(1)
    .max(1e7)
    .exactOptional()
    .describe(
      'seconds after the last outcome of a batch after which the update leaves out samples without an outcome; ' +
        'default: 600 + 10 × run.budget.seconds',
    ),
  keep: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .exactOptional()
    .describe('versions whose weights stay on the disk, the newest ones; default: 20, with all weights 3'),
  lr: z
    .number()
    .min(0)
    .max(1)
    .default(4e-4)
    .describe('learning rate; 0: the policy stays as it is, and gates that adjust lr are left out'),
  betas: z.tuple([share, share]).default([0.9, 0.95]).describe("decay of AdamW's averages"),
  eps: z.number().min(1e-12).max(1).default(1e-8),
  weightDecay: z.number().min(0).max(1).default(0),
  maxGradNorm: z.number().min(1e-12).default(1),
  epochs: z.number().int().min(1).max(1000).default(1).describe('steps of the optimiser over one batch'),
  oldLogprobs: z
    .enum(['trainer', 'sampler'])
    .default('trainer')
    .describe("denominator of the probability ratio: the parent's log-probabilities, or those of the sampler"),
  isCap: z
    .number()
    .min(1e-6)
    .nullable()
    .exactOptional()
    .describe('largest weight of a token between sampler and trainer; default: 2, none with oldLogprobs sampler'),
  klCoefficient: z.number().min(0).default(0).describe('weight of the distance from version 0 (k3)'),
  entropyCoefficient: z.number().min(0).default(0.01).describe('weight of the entropy that is rewarded'),
  tokens: z
    .enum(['answer', 'all'])
    .exactOptional()
    .describe(
      'tokens of an answer that loss, entropy and gates count; answer, the default: for knobs, those up to the last ' +
        'value with the token that ends it; all: also the text behind it, as in a research that 0.2 began',
    ),
  eval: z
    .strictObject({
      every: z
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .describe('a version is evaluated if its number is 0 or a multiple of it'),
      samples: z.number().int().min(1).max(10_000).describe('samples of a version, each of which runs'),
    })
    .exactOptional()
    .describe('held-out evaluation of versions, from which nothing is learnt; default: none'),
  adapter,
  microBatch: z.number().int().min(1).default(8).describe('samples that a forward pass holds'),
  maxTokens: z
    .number()
    .int()
    .min(2)
    .default(4096)
    .describe("tokens of a prompt with its answer, the teacher's prompt included"),
  gradientCheckpointing: z
    .boolean()
    .default(false)
    .describe('the backward pass computes the activations of a layer again: less memory, a slower step'),
  gates: z
    .array(GateSetting)
    .max(50)
    .exactOptional()
    .describe("rules on an update's metrics, in place of the method's own; []: none"),
};

export type Learning = z.output<z.ZodObject<typeof LEARNING>>;

/** Rejects the setting at `path`; `expected` describes a valid value, such as "a multiple of 8". */
export type Refuse = (path: (string | number)[], expected: string) => void;

/** Wraps a check for use in a schema. Its messages follow the word "expected". */
export const checking =
  <S>(check: (settings: S, refuse: Refuse) => void) =>
  (settings: S, context: z.RefinementCtx): void =>
    check(settings, (path, message) => {
      context.addIssue({ code: 'custom', path, message });
    });

/** Rejects contradictions among the settings of every method. `valueLr`: that of ppo. */
export function checkLearning(settings: Learning & { valueLr?: number }, refuse: Refuse): void {
  const { batch, group, staleness, oldLogprobs, isCap, gates = [] } = settings;
  if (batch % group !== 0) refuse(['batch'], `a multiple of group, which is ${group}`);
  if (oldLogprobs === 'sampler' && typeof isCap === 'number')
    refuse(['isCap'], 'none, since oldLogprobs is sampler: the ratio uses the log-probabilities of the sampler');
  if (oldLogprobs === 'trainer' && isCap === null && staleness > 0)
    refuse(['isCap'], 'a number, since samples may be stale (staleness) and nothing else corrects for that');
  gates.forEach(({ adjust }, i) => {
    if (adjust && settings[adjust.key] === undefined)
      refuse(['gates', i, 'adjust', 'key'], `a setting of this method, which has no ${adjust.key}`);
    // A learning rate of 0 is a control for the same task, whose gates then have no effect: see buildUpdatePlan.
    if (adjust && adjust.key !== 'lr' && settings[adjust.key] === 0)
      refuse(['gates', i, 'adjust', 'key'], `a setting above 0, since it is multiplied, and ${adjust.key} is 0`);
  });
}

/** Default of `keep`: twenty versions of low-rank weights take less space than one version of all weights. */
const KEPT: Readonly<Record<Adapter['kind'], number>> = { lora: 20, full: 3 };

/** Tokens that count; in a research that 0.2 began, all of them. */
export const tokensOf = ({ tokens = 'all' }: Pick<Learning, 'tokens'>): UpdatePlan['tokens'] => tokens;

/** The part of a plan that a method sets: its `algorithm`, teacher and gates. */
export type MethodPlan = Pick<UpdatePlan, 'algorithm' | 'gates' | 'teacher'>;

/** Builds a plan from the settings of every method and the method's own part. */
export function buildUpdatePlan(settings: Learning, { algorithm, gates, teacher }: MethodPlan): UpdatePlan {
  const { batch, group, staleness, microBatch, maxTokens, gradientCheckpointing, epochs, oldLogprobs } = settings;
  const { klCoefficient, entropyCoefficient, lr, betas, eps, weightDecay, maxGradNorm } = settings;
  const rules = settings.gates ?? gates;
  const isIdle = ({ adjust }: Gate): boolean => lr === 0 && adjust?.key === 'lr';
  const isCap = settings.isCap ?? (settings.isCap === null || oldLogprobs === 'sampler' ? null : 2);
  return {
    batch,
    group,
    staleness,
    microBatch,
    maxTokens,
    tokens: tokensOf(settings),
    gradientCheckpointing,
    teacher,
    lateSeconds: settings.lateSeconds ?? null,
    evaluation: settings.eval ?? null,
    keep: settings.keep ?? KEPT[settings.adapter.kind],
    algorithm: { ...algorithm, epochs, oldLogprobs, isCap, klCoefficient, entropyCoefficient },
    optimizer: { name: 'adamw', lr, betas, eps, weightDecay, maxGradNorm },
    adapter: adapterOf(settings.adapter),
    gates: rules.filter((gate) => !isIdle(gate)),
    gatesLeftOut: rules.filter(isIdle),
  };
}

/** The adapter of a step. Dropout is 0: with dropout, the policy that learns would differ from the one that sampled. */
const adapterOf = (adapter: Learning['adapter']): Adapter =>
  adapter.kind === 'full' ? adapter : { ...adapter, dropout: 0 };
