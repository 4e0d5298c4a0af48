import { sql } from 'drizzle-orm';
import {
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Fired } from '../../domain/learning/gates/judge-update.ts';
import type { PolicyPrompt } from '../../domain/learning/policy-prompt.ts';
import type { Adapter } from '../../domain/learning/step.ts';
import type { UpdateState } from '../../domain/learning/update-state.ts';
import type { Ancestor } from '../../domain/learning/weights/learnt-base.ts';
import { at } from './columns.ts';
import { researches } from './research.ts';
import { trials } from './trial.ts';

/** State of a research's learning; a row exists once its policy was sampled. */
export const policies = pgTable('policies', {
  researchId: text('research_id')
    .primaryKey()
    .references(() => researches.id),
  /** Version that is sampled: the number of the update that made it; 0: the model before any update. */
  inForce: integer('in_force').notNull().default(0),
  /** True if a person pinned the version: it stays, and nothing is learnt. */
  pinned: boolean().notNull().default(false),
  /** Reason why learning stopped until a person acts; null while it continues. */
  halted: text(),
  /** Gates judge only updates after this one, at which a person resumed the learning. */
  judgedFrom: integer('judged_from').notNull().default(0),
  /** Values that gates changed for the next steps, by key. */
  adjustments: jsonb().$type<Record<string, number>>().notNull().default({}),
  updatedAt: at('updated_at').notNull().defaultNow(),
});

/** Learnt versions (ID@VERSION) with which researches began as their base, resolved at the start of the research. */
export const policyBases = pgTable(
  'policy_bases',
  {
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    /** The value of search.proposer.base: ID@VERSION. */
    base: text().notNull(),
    /** Model from which the first ancestor learnt. */
    model: text().notNull(),
    /** Hash of the checkpoint, and the key that names its folder; null for version 0 of a model. */
    checkpoint: text(),
    stepKey: text('step_key'),
    /** Form of the checkpoint's weights; null without a checkpoint. */
    adapter: jsonb().$type<Adapter>(),
    /** Versions from which it descends, the oldest first; the last one is the version in `base`. */
    descent: jsonb().$type<Ancestor[]>().notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.researchId, t.base] }), index('policy_bases_step').on(t.stepKey)],
);

/** Samples that share a prompt, a parent and a version of the policy. */
export const rolloutGroups = pgTable(
  'rollout_groups',
  {
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    g: integer().notNull(),
    parentId: text('parent_id').notNull(),
    parentReason: text('parent_reason').notNull(),
    /** Island or cell that its parent was chosen for. */
    niche: text(),
    /** Version, numbered as in `policies.in_force`. */
    version: integer().notNull(),
    /** The prompt, which the first member makes. */
    prompt: jsonb().$type<PolicyPrompt>(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.researchId, t.g] })],
);

/** Samples of a policy. A trial's proposal is parsed from one, and an update learns from them. */
export const rollouts = pgTable(
  'rollouts',
  {
    trialId: text('trial_id')
      .primaryKey()
      .references(() => trials.id),
    researchId: text('research_id').notNull(),
    /** Order of joining: 1, 2, … */
    seq: integer().notNull(),
    g: integer().notNull(),
    /** Update that it belongs to. */
    k: integer().notNull(),
    /** Checkpoint that it was drawn from, or `base`. */
    policyVersion: text('policy_version'),
    promptIds: integer('prompt_ids').array(),
    completionIds: integer('completion_ids').array(),
    /** Log-probabilities of the completion's tokens, in nats, at temperature 1. */
    logprobs: doublePrecision().array(),
    /** Number of tokens up to the end of the last knob's value; null: all tokens count, or 0.2 drew it. */
    valueTokens: integer('value_tokens'),
    /** Number of tokens up to the one that ends this value, included. */
    answerTokens: integer('answer_tokens'),
    text: text(),
    finishReason: text('finish_reason'),
    sampledAt: at('sampled_at'),
  },
  (t) => [uniqueIndex('rollouts_seq').on(t.researchId, t.seq), index('rollouts_update').on(t.researchId, t.k)],
);

/** Learning steps. A row is made in the transaction of the outcome that completes its batch. */
export const updates = pgTable(
  'updates',
  {
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    /** 1, 2, …; also the number of the version that the update makes. */
    k: integer().notNull(),
    /** `empty`: the batch had nothing to learn from. */
    state: text().$type<UpdateState>().notNull().default('due'),
    /** Ids of the batch's trials, in order. */
    batch: jsonb().$type<string[]>().notNull(),
    /** Version that it starts from, with its checkpoint; both fixed when it begins. */
    parent: integer(),
    parentCheckpoint: text('parent_checkpoint'),
    adjustments: jsonb().$type<Record<string, number>>(),
    stepKey: text('step_key'),
    checkpoint: text(),
    metrics: jsonb().$type<Record<string, number>>(),
    versions: jsonb().$type<Record<string, unknown>>(),
    seconds: jsonb().$type<Record<string, number>>(),
    /** Rollouts that were excluded, with reasons. */
    skipped: jsonb().$type<{ id: string; reason: string }[]>(),
    fired: jsonb().$type<Fired[]>(),
    /** Steps that failed. */
    failures: integer().notNull().default(0),
    /** Reason why it made no version, in words. */
    reason: text(),
    /** True if a person named its version: the weights stay. */
    held: boolean().notNull().default(false),
    /** Time since which the weights may not be used; their files are removed. */
    removedAt: at('removed_at'),
    dueAt: at('due_at').notNull().defaultNow(),
    begunAt: at('begun_at'),
    endedAt: at('ended_at'),
  },
  (t) => [
    primaryKey({ columns: [t.researchId, t.k] }),
    index('updates_due')
      .on(t.researchId)
      .where(sql`${t.state} = 'due'`),
  ],
);
