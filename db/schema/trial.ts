import { sql } from 'drizzle-orm';
import {
  bigint,
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
import type { EncodedNumber } from '../../domain/json/number.ts';
import type { FailureLabel, TrialKind, TrialStatus, Verdict } from '../../domain/trial.ts';
import { at } from './columns.ts';
import { taskVersions } from './task.ts';
import { researches } from './research.ts';

/** One version of the mutable files. The id is the hash of their content and of the task's immutable content. */
export const candidates = pgTable('candidates', {
  id: text().primaryKey(),
  immutableHash: text('immutable_hash').notNull(),
  /** Path to blob hash. */
  files: jsonb().$type<Record<string, string>>().notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
});

export const trials = pgTable(
  'trials',
  {
    id: text().primaryKey(),
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    n: integer().notNull(),
    kind: text().$type<TrialKind>().notNull(),
    /** The search trial that this one confirms. */
    ofTrial: integer('of_trial'),
    /** The run's. */
    seed: bigint({ mode: 'number' }).notNull(),
    /** Drives what its evaluator asks; no surface shows it. Null where 0.1 admitted the trial. */
    evaluatorSeed: bigint('evaluator_seed', { mode: 'number' }),
    /** Null where 0.1 admitted the trial: then the run's. */
    proposerSeed: bigint('proposer_seed', { mode: 'number' }),
    taskHash: text('task_hash')
      .notNull()
      .references(() => taskVersions.hash),
    pool: text().notNull(),
    /** Key of the admission that made this row: a retried admission returns the same rows. */
    admission: text().notNull(),
    candidateId: text('candidate_id').references(() => candidates.id),
    /** The candidate that it was edited from. */
    parentId: text('parent_id'),
    /** Reason of the parent rule. */
    parentReason: text('parent_reason'),
    /** Name of the proposer; `person` or `neighbours` if no proposer of the table made the proposal. */
    proposer: text(),
    /** Reason of the choice; null if an older version chose it, or a person proposed. */
    proposerReason: text('proposer_reason'),
    /** Settings of the chosen proposer; null if an older version chose it: then those of the research. */
    proposerSettings: jsonb('proposer_settings').$type<Readonly<Record<string, unknown>>>(),
    hypothesis: text(),
    expectedDelta: doublePrecision('expected_delta'),
    edits: jsonb(),
    /** Trials that ended between the proposal's context and its start on a slot. */
    staleness: integer(),
    /** Trials ended when the proposal's context was made. */
    contextEnded: integer('context_ended'),
    readyAt: at('ready_at'),
    /** Null while it is under way. */
    status: text().$type<TrialStatus>(),
    failure: text().$type<FailureLabel>(),
    failureMessage: text('failure_message'),
    value: doublePrecision(),
    metrics: jsonb().$type<Record<string, EncodedNumber>>(),
    evaluatorNotes: text('evaluator_notes'),
    trusted: boolean(),
    verdict: text().$type<Verdict>(),
    reason: text(),
    /** When the verdict was given last: it may come, or change, long after the end. */
    ruledAt: at('ruled_at'),
    /** By the research's reward; null where it has none, and why stands in the reason. */
    reward: doublePrecision(),
    /** Numbers that the reward is made of, by their names. */
    rewardParts: jsonb('reward_parts').$type<Record<string, number>>(),
    /** Null where the research rewards nothing, or not trials of this kind. */
    rewardReason: text('reward_reason'),
    slotId: text('slot_id'),
    /** What it waits for on the slot that it holds, in words; null once its run is begun. */
    waitsFor: text('waits_for'),
    placement: integer().notNull().default(0),
    /** Monitor attempts, over placements. */
    attempts: integer().notNull().default(0),
    slotWaitSeconds: doublePrecision('slot_wait_seconds'),
    createdAt: at('created_at').notNull().defaultNow(),
    startedAt: at('started_at'),
    endedAt: at('ended_at'),
    /** Seconds on the slot. */
    seconds: doublePrecision(),
  },
  (t) => [
    uniqueIndex('trials_research_n').on(t.researchId, t.n),
    index('trials_admission').on(t.researchId, t.admission),
    index('trials_seed').on(t.researchId, t.seed),
    index('trials_evaluator_seed').on(t.researchId, t.evaluatorSeed),
    index('trials_candidate').on(t.candidateId),
    index('trials_ended')
      .on(t.researchId, t.endedAt, t.n)
      .where(sql`${t.status} is not null`),
    index('trials_open')
      .on(t.researchId)
      .where(sql`${t.status} is null`),
    // Serves readRulings: the rulings of a research, the newest first.
    index('trials_ruled')
      .on(t.researchId, sql`coalesce(${t.ruledAt}, ${t.endedAt})`, t.n)
      .where(sql`${t.status} is not null`),
    // Serves the list of trials in the order of their values.
    index('trials_value')
      .on(t.researchId, t.value)
      .where(sql`${t.value} is not null`),
    // Serves the list of what was kept, the newest first.
    index('trials_kept')
      .on(t.researchId, t.n)
      .where(sql`${t.verdict} in ('keep', 'confirm')`),
    // Serves the children of a candidate, without a look at the trials themselves.
    index('trials_parent').on(t.researchId, t.parentId, t.n, t.candidateId),
    // Serves the count of failures by their label.
    index('trials_failed')
      .on(t.researchId, t.failure)
      .where(sql`${t.failure} is not null`),
  ],
);

/** One request to a model: the row before the request, the answer after it. */
export const calls = pgTable(
  'calls',
  {
    trialId: text('trial_id').notNull(),
    /** Turn of the trial's conversation: 0, 1, … */
    turn: integer().notNull(),
    model: text().notNull(),
    request: jsonb().notNull(),
    answer: text(),
    /** Finish reason, refusal. */
    outcome: jsonb(),
    error: text(),
    tokensIn: integer('tokens_in'),
    tokensOut: integer('tokens_out'),
    usd: doublePrecision(),
    latencySeconds: doublePrecision('latency_seconds'),
    /** Requests sent whose answer was never stored (a death in between). */
    repeated: integer().notNull().default(0),
    /** Requests that ended in an error, and those of them that the endpoint refused as too many (429). */
    failed: integer().notNull().default(0),
    limited: integer().notNull().default(0),
    /** Why its answer was not used: a failure's label, or `duplicate`; null where it was used, or was not read yet. */
    unused: text().$type<FailureLabel | 'duplicate'>(),
    sentAt: at('sent_at').notNull().defaultNow(),
    /** The run of the workflow, and in it the attempt of the activity, that sent it last. */
    workflowRun: text('workflow_run'),
    attempt: integer(),
    answeredAt: at('answered_at'),
  },
  (t) => [
    primaryKey({ columns: [t.trialId, t.turn] }),
    // Serves spend by hour: the calls of a stretch of time.
    index('calls_sent').on(t.sentAt),
  ],
);
