import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { at } from './columns.ts';

/** How a workflow is begun again. */
export interface Restart {
  args: unknown;
  memo: Record<string, unknown>;
  staticSummary?: string;
  staticDetails?: string;
}

/** Workflows of an older version that are ended and begun again: written before the first of the two. */
export const restarts = pgTable('restarts', {
  workflowId: text('workflow_id').primaryKey(),
  type: text().$type<'research' | 'trial' | 'job'>().notNull(),
  /** The run that is ended. */
  runId: text('run_id').notNull(),
  start: jsonb().$type<Restart>().notNull(),
  /** Unused since 0.3: the knowledge of the ended run, in rows of 0.2. */
  left: jsonb('left_behind'),
  /** Unused since 0.3: in rows of 0.2 the run that was begun, which makes the row a done one. */
  takenBy: text('taken_by'),
  at: at('at').notNull().defaultNow(),
});
