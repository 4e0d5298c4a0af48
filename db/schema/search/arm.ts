import { doublePrecision, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { at } from '../columns.ts';
import { researches } from '../research.ts';

/**
 * Arms of a research's mixture. The transaction that begins a trial counts it; the transaction of its outcome adds the
 * outcome.
 */
export const arms = pgTable(
  'arms',
  {
    researchId: text('research_id')
      .notNull()
      .references(() => researches.id),
    /** Proposer and parent rule as written, in a fixed order of keys. */
    key: text().notNull(),
    /** Trials that began with it. */
    chosen: integer().notNull().default(0),
    /** Trials with an outcome that counts. */
    trials: integer().notNull().default(0),
    /** Trials with a score. */
    scored: integer().notNull().default(0),
    /** Sum of rewards, each between 0 and 1. */
    reward: doublePrecision().notNull().default(0),
    /** Seconds on slots. */
    seconds: doublePrecision().notNull().default(0),
    /** USD of model calls. */
    usd: doublePrecision().notNull().default(0),
    /** Error of the endpoint that it needs; null if the endpoint answers, as far as is known. */
    down: text(),
    /** Time from which on it may be chosen although its endpoint did not answer. */
    downUntil: at('down_until'),
    /** Times in a row that it was down when it was tried again; 0: its endpoint answers, as far as is known. */
    downTimes: integer('down_times').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.researchId, t.key] })],
);
