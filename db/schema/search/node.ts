import { sql } from 'drizzle-orm';
import { boolean, doublePrecision, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { researches } from '../research.ts';

/**
 * The tree of candidates that parent rules read, under the metric of a research's task: the original, and each
 * candidate with a scored run. The transactions of choice and outcome update it. `value`, `below` and `best` are
 * larger for better candidates: negated if the metric is minimised.
 */
export const nodes = pgTable(
  'nodes',
  {
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    candidateId: text('candidate_id').notNull(),
    /** Number by the order of first scores, from 1; 0: the original. */
    seq: integer().notNull(),
    /** Node from which it was made; null for the original. */
    parentId: text('parent_id'),
    depth: integer().notNull(),
    /** Mean of its scored runs. */
    value: doublePrecision(),
    /** Scored runs. */
    runs: integer().notNull().default(0),
    /** Largest value of all nodes below it; null: none has a value. */
    below: doublePrecision(),
    /** The larger one of `value` and `below`. */
    best: doublePrecision(),
    /** Search trials that began from it or from a node below it, those in flight included. */
    visits: integer().notNull().default(0),
    /** Search trials from it without an outcome. */
    inFlight: integer('in_flight').notNull().default(0),
    /** Island or cell of the research's parent rule; null: none. */
    niche: text(),
  },
  (t) => [
    primaryKey({ columns: [t.researchId, t.candidateId] }),
    index('nodes_value')
      .on(t.researchId, t.value.desc(), t.seq)
      .where(sql`${t.value} is not null`),
    index('nodes_best')
      .on(t.researchId, t.best.desc(), t.seq)
      .where(sql`${t.best} is not null`),
    // Serves the best of a node's children.
    index('nodes_children')
      .on(t.researchId, t.parentId, t.best.desc())
      .where(sql`${t.best} is not null`),
    // Serves the best nodes of a niche.
    index('nodes_niche')
      .on(t.researchId, t.niche, t.value.desc(), t.seq)
      .where(sql`${t.niche} is not null`),
  ],
);

/** Islands or cells of a research's tree. The transactions of choice and outcome update them. */
export const niches = pgTable(
  'niches',
  {
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    /** `island 3.1`, or the bins of a cell: `lr 0.01–0.1`. */
    key: text().notNull(),
    /** Number of its first node; null: it has none. */
    begun: integer(),
    /** False for an island that began anew under another key. */
    isActive: boolean('is_active').notNull().default(true),
  },
  (t) => [primaryKey({ columns: [t.researchId, t.key] })],
);
