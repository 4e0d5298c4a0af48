import { sql } from 'drizzle-orm';
import { doublePrecision, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { KnobValues } from '../../../domain/knob/knob-value.ts';
import type { TrialStatus } from '../../../domain/trial.ts';
import { researches } from '../research.ts';

/**
 * Observations that proposers read: candidates of a research under one version of its task. The transaction of each
 * outcome updates its row.
 */
export const observations = pgTable(
  'observations',
  {
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    taskHash: text('task_hash').notNull(),
    candidateId: text('candidate_id').notNull(),
    /** Null for a candidate of an older version until its files are read. */
    knobs: jsonb().$type<KnobValues>(),
    /** Hash of its mutable files without the literals of its knobs, stored with the knobs; null if files are lost. */
    structure: text(),
    /** The proposer that brought it first; null for the original. */
    proposer: text(),
    /** Number by the order of first outcomes, from 1; null before the first outcome. */
    seq: integer(),
    /** Mean of its scored runs. */
    value: doublePrecision(),
    /** Scored runs. */
    runs: integer().notNull().default(0),
    /** Outcome of its last run that no machine lost. */
    outcome: text().$type<TrialStatus>(),
    /** Seconds on slots, over all of its runs. */
    seconds: doublePrecision().notNull().default(0),
    usd: doublePrecision().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.researchId, t.taskHash, t.candidateId] }),
    index('observations_latest')
      .on(t.researchId, t.taskHash, t.seq)
      .where(sql`${t.seq} is not null`),
    // Read from both ends: some metrics are minimised, others maximised.
    index('observations_best')
      .on(t.researchId, t.taskHash, t.value)
      .where(sql`${t.value} is not null`),
    // Serves the reading of knobs from files, the latest candidates first.
    index('observations_unread')
      .on(t.researchId, t.taskHash, t.seq)
      .where(sql`${t.knobs} is null`),
  ],
);
