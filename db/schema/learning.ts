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
import type { UpdateState } from '../../domain/learning/update-state.ts';
import { at } from './columns.ts';
import { researches } from './research.ts';
import { trials } from './trial.ts';

/** Where the learning of a research stands; there is a row once its policy was sampled. */
export const policies = pgTable('policies', {
  researchId: text('research_id')
    .primaryKey()
    .references(() => researches.id),
  /** The version that is sampled: the number of the update that made it; 0: the model as it came. */
  inForce: integer('in_force').notNull().default(0),
  /** A person's wish: that version stays, and nothing is learnt. */
  pinned: boolean().notNull().default(false),
  /** Why nothing more is learnt until a person acts; null while it goes on. */
  halted: text(),
  /** Gates look at updates after this one: a person has let the learning go on there. */
  judgedFrom: integer('judged_from').notNull().default(0),
  /** Numbers of the next steps that gates have changed, by their keys. */
  adjustments: jsonb().$type<Record<string, number>>().notNull().default({}),
  updatedAt: at('updated_at').notNull().defaultNow(),
});

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
    /** As in `policies.in_force`. */
    version: integer().notNull(),
    /** The prompt; the first member makes it. */
    prompt: jsonb().$type<PolicyPrompt>(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.researchId, t.g] })],
);

/** Samples of a policy: what a trial's proposal was read from, and what an update learns from. */
export const rollouts = pgTable(
  'rollouts',
  {
    trialId: text('trial_id')
      .primaryKey()
      .references(() => trials.id),
    researchId: text('research_id').notNull(),
    /** 1, 2, …: the order in which they joined. */
    seq: integer().notNull(),
    g: integer().notNull(),
    /** The update that it is for. */
    k: integer().notNull(),
    /** The checkpoint that it was drawn from, or `base`. */
    policyVersion: text('policy_version'),
    promptIds: integer('prompt_ids').array(),
    completionIds: integer('completion_ids').array(),
    /** One a completion's token, in nats, at temperature 1. */
    logprobs: doublePrecision().array(),
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
    /** 1, 2, …; also the number of the version that it makes. */
    k: integer().notNull(),
    /** `empty`: nothing could be learnt from its batch. */
    state: text().$type<UpdateState>().notNull().default('due'),
    /** Ids of the trials of its batch, in order. */
    batch: jsonb().$type<string[]>().notNull(),
    /** The version that it starts from, and that one's checkpoint; fixed when it begins. */
    parent: integer(),
    parentCheckpoint: text('parent_checkpoint'),
    adjustments: jsonb().$type<Record<string, number>>(),
    stepKey: text('step_key'),
    checkpoint: text(),
    metrics: jsonb().$type<Record<string, number>>(),
    versions: jsonb().$type<Record<string, unknown>>(),
    seconds: jsonb().$type<Record<string, number>>(),
    /** Rollouts that were left out, and why. */
    skipped: jsonb().$type<{ id: string; reason: string }[]>(),
    fired: jsonb().$type<Fired[]>(),
    /** Steps that were tried and could not be made. */
    failures: integer().notNull().default(0),
    /** Why it made no version, in words. */
    reason: text(),
    /** A person has named the version that it made: its weights stay. */
    held: boolean().notNull().default(false),
    /** Since when nobody may use its weights any more; their files are removed. */
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
