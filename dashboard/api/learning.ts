import { z } from 'zod';
import { At, Value } from './shared.ts';

/** An update of the policy. Update k makes version k; version 0 is the original model. */
export const Update = z.object({
  k: z.int(),
  state: z.string(),
  /** The version that the update starts from; null before it begins. */
  parent: z.int().nullable(),
  checkpoint: z.string().nullable(),
  inForce: z.boolean(),
  /** True if a person named the version: its weights are never removed. */
  held: z.boolean(),
  /** True if the version's weights were removed. */
  removed: z.boolean(),
  samples: z.int(),
  skipped: z.int(),
  reward: Value,
  /** Half of the 95 % interval of the mean reward, without the error of the baseline; null if it is unknown. */
  error: Value,
  /** Share of the batch's proposals that were not rejected, 0 to 1. */
  legal: Value,
  /** Health metrics of the step by name: entropy, klShare, gradNorm, … */
  metrics: z.record(z.string(), z.number()),
  gates: z.array(z.object({ metric: z.string(), then: z.string(), words: z.string() })),
  seconds: Value,
  reason: z.string().nullable(),
  dueAt: At,
  endedAt: At.nullable(),
});
export type Update = z.infer<typeof Update>;

/** `GET research/:id/learning`: the last 500 updates, in order. */
export const Learning = z.object({
  algorithm: z.string().nullable(),
  version: z.int(),
  pinned: z.boolean(),
  halted: z.string().nullable(),
  batch: z.object({ k: z.int(), joined: z.int(), ended: z.int(), of: z.int() }).nullable(),
  /** Model and versions of other researches with which the policy began, the oldest first; null: it has no policy. */
  origin: z.string().nullable(),
  /** Researches that began with a version of this one, a line for each version. */
  heirs: z.array(z.string()),
  updates: z.array(Update),
  /** Mean rewards for comparison, on the scale of this research's rewards. */
  references: z.array(
    z.object({
      name: z.string(),
      value: z.number(),
      shift: z.number(),
      /** Reason why the reference stays where the task puts it; null if it follows the baseline of the research. */
      stays: z.string().nullable(),
    }),
  ),
  /** Held-out values of versions. `within`: by `search.update.eval`; `apart`: by `perpetua policy eval`. */
  evaluations: z.array(
    z.object({
      version: z.int(),
      source: z.enum(['within', 'apart']),
      samples: z.int(),
      readable: Value,
      value: Value,
      /** 95 % interval of the mean value; null if it is unknown. */
      low: Value,
      high: Value,
    }),
  ),
  commands: z.array(z.object({ label: z.string(), command: z.string() })),
});
export type Learning = z.infer<typeof Learning>;

/**
 * `GET research/:id/learning/:k`: the trials that trained version k, with the health of their batch, and the number of
 * trials that it sampled.
 */
export const UpdateTrials = z.object({
  /** Shares of the batch, 0 to 1; null for an empty batch. */
  shares: z.object({ fresh: z.number(), legal: z.number(), known: z.number(), refused: z.number() }).nullable(),
  /** −log p in nats by place of the token in the answer, from 1, over the samples that have such a token. */
  places: z.array(z.object({ place: z.int(), samples: z.int(), mean: Value, least: Value, most: Value })),
  batch: z.array(
    z.object({
      trialId: z.string(),
      n: z.int(),
      group: z.int(),
      version: z.int(),
      status: z.string().nullable(),
      value: Value,
      reward: Value,
      verdict: z.string().nullable(),
      skipped: z.string().nullable(),
    }),
  ),
  drawn: z.int(),
});
export type UpdateTrials = z.infer<typeof UpdateTrials>;
