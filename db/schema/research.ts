import { sql } from 'drizzle-orm';
import { bigint, doublePrecision, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { GateConfig, GateState } from '../../domain/gate/types.ts';
import type { Overrides, Settings } from '../../domain/task/overrides.ts';
import type { Phase } from '../../domain/research/phase.ts';
import type { Budget } from '../../domain/schema/budget.ts';
import type { TrialKind } from '../../domain/trial.ts';
import { at } from './columns.ts';
import { taskVersions } from './task.ts';

export const researches = pgTable('researches', {
  /** The workflow id. */
  id: text().primaryKey(),
  taskHash: text('task_hash')
    .notNull()
    .references(() => taskVersions.hash),
  /** Name of the proposer, resolved when the research started. */
  proposer: text().notNull(),
  /** Overrides of the task's settings, as requested at the start. */
  overrides: jsonb().$type<Overrides>().notNull().default({}),
  /** The complete method: the task's settings with the overrides that fit; null if 0.1 started the research. */
  settings: jsonb().$type<Settings>(),
  settingsHash: text('settings_hash'),
  /** Root of all seeds of its trials; null: its id. */
  seedRoot: text('seed_root'),
  phase: text().$type<Phase>().notNull(),
  reason: text(),
  /** Last trial number given out. */
  lastN: integer('last_n').notNull().default(0),
  budget: jsonb().$type<Budget>().notNull(),
  /** Trial numbers given out, by kind. */
  admitted: jsonb().$type<Partial<Record<TrialKind, number>>>().notNull().default({}),
  /** Input and output tokens of stored answers. */
  tokens: doublePrecision().notNull().default(0),
  usd: doublePrecision().notNull().default(0),
  /** Seconds on slots of trials that have an outcome. */
  slotSeconds: doublePrecision('slot_seconds').notNull().default(0),
  /** Trials that ran nothing, or that the database ended, by kind: they do not count as trials in the budget. */
  refunded: jsonb().$type<Partial<Record<TrialKind, number>>>().notNull().default({}),
  /** Consecutive last proposals without a new candidate. */
  withoutNew: integer('without_new').notNull().default(0),
  gateConfig: jsonb('gate_config').$type<GateConfig>().notNull(),
  gate: jsonb().$type<GateState>().notNull(),
  baselineCandidate: text('baseline_candidate').notNull(),
  /** Number of its rows in `nodes`; null: no parent rule has read them under this version of its task. */
  nodes: integer(),
  /** Id of the workflow run in charge; each continue-as-new brings another one. */
  runId: text('run_id'),
  /** Last change of task that had a key, with its answer. A repeated request gets the same answer. */
  lastChange: jsonb('last_change').$type<{
    key: string;
    keptIncumbent: boolean;
    notRun?: string;
    outside?: string;
  }>(),
  /** Window that the workflow stored last. */
  window: integer(),
  /** Seconds under way, without pauses. */
  activeSeconds: doublePrecision('active_seconds').notNull().default(0),
  /** `activeSeconds` at the last claim; 0 before the first. */
  secondsAtClaim: doublePrecision('seconds_at_claim').notNull().default(0),
  /** Error while the model endpoint is down; null: it works. */
  endpointDown: text('endpoint_down'),
  /** Version of its task whose evaluator runs without a sandbox, as 0.2 stored it; null: none. */
  openEvaluatorTask: text('open_evaluator_task'),
  /** Names of the sinks that get its messages; null: all. */
  notify: jsonb().$type<string[]>(),
  createdAt: at('created_at').notNull().defaultNow(),
  updatedAt: at('updated_at').notNull().defaultNow(),
});

/** Advice from people; enters the next prompts. */
export const notes = pgTable(
  'notes',
  {
    id: text().primaryKey(),
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    text: text().notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [index('notes_research').on(t.researchId)],
);

/** Every claim ever made: the history of the incumbent. */
export const claims = pgTable(
  'claims',
  {
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    seq: integer().notNull(),
    candidateId: text('candidate_id').notNull(),
    ofTrial: integer('of_trial'),
    previous: text(),
    value: doublePrecision().notNull(),
    sd: doublePrecision(),
    n: integer().notNull(),
    reason: text().notNull(),
    /** Author of the claim: the gate, or a person with a reason (overrideVerdict). */
    by: text().notNull().default('gate'),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.researchId, t.seq] })],
);

/** Held-out scores of candidates, each made once: for a report, and never for the search. */
export const heldOutScores = pgTable(
  'held_out_scores',
  {
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    candidateId: text('candidate_id').notNull(),
    /** Trial whose artefacts were scored. */
    trialId: text('trial_id').notNull(),
    /** Version of the task whose command scored them. */
    taskHash: text('task_hash').notNull(),
    value: doublePrecision().notNull(),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.researchId, t.candidateId] })],
);

/** Signals that could not be parsed, and other messages for a person, which `status` shows. */
export const alerts = pgTable(
  'alerts',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    researchId: text('research_id').notNull(),
    message: text().notNull(),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [index('alerts_research').on(t.researchId)],
);

/** Runs that the gate or a person requested; admitted ahead of new proposals. */
export const wantedRuns = pgTable(
  'wanted_runs',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    kind: text().$type<TrialKind>().notNull(),
    candidateId: text('candidate_id').notNull(),
    ofTrial: integer('of_trial'),
    /** Number of its trial; null until it has one. */
    n: integer(),
    /** Key, parent and hypothesis of an injected proposal; else null. */
    proposal: jsonb(),
  },
  (t) => [
    index('wanted_open')
      .on(t.researchId, t.id)
      .where(sql`${t.n} is null`),
    index('wanted_numbered').on(t.researchId, t.n),
    index('wanted_keyed')
      .on(t.researchId, sql`(${t.proposal} ->> 'key')`)
      .where(sql`${t.proposal} is not null`),
  ],
);
