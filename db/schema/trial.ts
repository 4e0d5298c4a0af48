import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { EncodedNumber } from '../../domain/json/number.ts';
import type { Feedback } from '../../domain/metric/feedback.ts';
import type { FailureLabel, TrialKind, TrialStatus, Verdict } from '../../domain/trial.ts';
import { at, changedXid } from './columns.ts';
import { taskVersions } from './task.ts';
import { researches } from './research.ts';

/** One version of the mutable files. The id is the hash of their content and of the task's immutable content. */
export const candidates = pgTable(
  'candidates',
  {
    id: text().primaryKey(),
    immutableHash: text('immutable_hash').notNull(),
    /** Path to blob hash. */
    files: jsonb().$type<Record<string, string>>().notNull(),
    /** Mutable files of the workspace that it lacks, sorted; null: none. */
    deleted: jsonb().$type<string[]>(),
    /** Equal for candidates that differ in comments and formatting; null: no search has asked for it. */
    sameness: text(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('candidates_sameness')
      .on(t.sameness)
      .where(sql`${t.sameness} is not null`),
  ],
);

export const trials = pgTable(
  'trials',
  {
    id: text().primaryKey(),
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    n: integer().notNull(),
    kind: text().$type<TrialKind>().notNull(),
    /** Number of the search trial that this one confirms. */
    ofTrial: integer('of_trial'),
    /** Seed of the run. */
    seed: bigint({ mode: 'number' }).notNull(),
    /** Seed of what its evaluator asks; no surface shows it. Null for trials of 0.1. */
    evaluatorSeed: bigint('evaluator_seed', { mode: 'number' }),
    /** Null for trials of 0.1, which used the run's seed. */
    proposerSeed: bigint('proposer_seed', { mode: 'number' }),
    taskHash: text('task_hash')
      .notNull()
      .references(() => taskVersions.hash),
    pool: text().notNull(),
    /** Key of the admission that inserted this row: a repeated admission returns the same rows. */
    admission: text().notNull(),
    candidateId: text('candidate_id').references(() => candidates.id),
    /** Candidate as it was proposed, if the known candidate of the same program stands for it; else null. */
    proposedId: text('proposed_id'),
    /** Candidate that it was edited from. */
    parentId: text('parent_id'),
    /** Reason of the parent rule. */
    parentReason: text('parent_reason'),
    /** Island or cell that its parent was chosen for; null: the parent rule has none. */
    niche: text(),
    /** Name of the proposer; `person` or `neighbours` if no proposer of the table made the proposal. */
    proposer: text(),
    /** Reason of the choice; null if an older version chose it, or a person proposed. */
    proposerReason: text('proposer_reason'),
    /** Settings of the chosen proposer; null if an older version chose it: the research's settings apply. */
    proposerSettings: jsonb('proposer_settings').$type<Readonly<Record<string, unknown>>>(),
    /** Key of the mixture's arm that it began with; null without a mixture. */
    arm: text(),
    /** First turn of the arm's calls. The calls of arms that it replaced have lower turns. */
    firstTurn: integer('first_turn').notNull().default(0),
    /** Reward of its arm; null until an outcome that counts. */
    armReward: doublePrecision('arm_reward'),
    /** Operator that the proposer was asked for; null: any change. */
    operator: text(),
    /** Reason of its choice, such as the operator that had nothing to start from. */
    operatorReason: text('operator_reason'),
    /** Candidate that the prompt shows as a second parent. */
    secondParentId: text('second_parent_id'),
    hypothesis: text(),
    /** Runs of its candidate that came before it; above 0: a copy. Null: no proposal, or one of an older version. */
    runsBefore: integer('runs_before'),
    expectedDelta: doublePrecision('expected_delta'),
    edits: jsonb(),
    /** Trials that ended between this proposal's context and its start on a slot. */
    staleness: integer(),
    /** Trials that had ended when the proposal's context was made. */
    contextEnded: integer('context_ended'),
    readyAt: at('ready_at'),
    /** Null while it is under way. */
    status: text().$type<TrialStatus>(),
    failure: text().$type<FailureLabel>(),
    failureMessage: text('failure_message'),
    value: doublePrecision(),
    /** Id of the trial of another research that measured the value; null: its own run did. */
    reusedFrom: text('reused_from'),
    metrics: jsonb().$type<Record<string, EncodedNumber>>(),
    evaluatorNotes: text('evaluator_notes'),
    /** Cases of the evaluator, those that it keeps from proposers included; null: it reported none. */
    feedback: jsonb().$type<Feedback>(),
    trusted: boolean(),
    /**
     * Artefact that executes code when the evaluator loads it, in words: then no prompt shows what the evaluator wrote.
     * Null: none, or the trial is of an older version.
     */
    artefactCode: text('artefact_code'),
    verdict: text().$type<Verdict>(),
    reason: text(),
    /** Time of the last verdict. A verdict may come, or change, long after the end. */
    ruledAt: at('ruled_at'),
    /** Reward of the outcome; null: none, for the reason in `reward_reason`. */
    reward: doublePrecision(),
    /** Parts that the reward is computed from, by name. */
    rewardParts: jsonb('reward_parts').$type<Record<string, number>>(),
    /** Null if the research rewards nothing, or not trials of this kind. */
    rewardReason: text('reward_reason'),
    slotId: text('slot_id'),
    /** Cause of its wait while it holds a slot, in words; null once its run began. */
    waitsFor: text('waits_for'),
    placement: integer().notNull().default(0),
    /** Monitor attempts, over all placements. */
    attempts: integer().notNull().default(0),
    slotWaitSeconds: doublePrecision('slot_wait_seconds'),
    createdAt: at('created_at').notNull().defaultNow(),
    startedAt: at('started_at'),
    endedAt: at('ended_at'),
    /** Seconds on the slot. */
    seconds: doublePrecision(),
    changedXid: changedXid(),
  },
  (t) => [
    uniqueIndex('trials_research_n').on(t.researchId, t.n),
    index('trials_admission').on(t.researchId, t.admission),
    index('trials_seed').on(t.researchId, t.seed),
    index('trials_evaluator_seed').on(t.researchId, t.evaluatorSeed),
    // The parent leads from a candidate to its ancestors without its runs: those of the baseline have no parent.
    index('trials_candidate').on(t.candidateId, t.parentId),
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
    // Serves the list of trials ordered by value.
    index('trials_value')
      .on(t.researchId, t.value)
      .where(sql`${t.value} is not null`),
    // Serves the list of kept trials, newest first.
    index('trials_kept')
      .on(t.researchId, t.n)
      .where(sql`${t.verdict} in ('keep', 'confirm')`),
    // Serves the rank of a score among the last ones of a mixture.
    index('trials_arm_scores')
      .on(t.researchId, t.endedAt)
      .where(sql`${t.arm} is not null and ${t.value} is not null`),
    // Serves the children of a candidate from the index alone.
    index('trials_parent').on(t.researchId, t.parentId, t.n, t.candidateId),
    // Serves the count of failures by label.
    index('trials_failed')
      .on(t.researchId, t.failure)
      .where(sql`${t.failure} is not null`),
    // Serves readers that keep counts: the trials that changed since their last read.
    index('trials_changed').on(t.changedXid),
  ],
);

/** Versions of the memory that the models of a research keep. The one with the largest id is the latest. */
export const memories = pgTable(
  'memories',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    /** Trial whose answer has it; null: it was copied when the research began. */
    trialId: text('trial_id').references(() => trials.id),
    /** Research from which it was copied. */
    copiedFrom: text('copied_from'),
    text: text().notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [uniqueIndex('memories_trial').on(t.trialId), index('memories_research').on(t.researchId, t.id)],
);
