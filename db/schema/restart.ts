import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { at } from './columns.ts';

/** Arguments and options to start a workflow again. */
export interface Restart {
  args: unknown;
  memo: Record<string, unknown>;
  staticSummary?: string;
  staticDetails?: string;
}

/** Workflows of an older version that are terminated and started again; a row is written before the termination. */
export const restarts = pgTable('restarts', {
  workflowId: text('workflow_id').primaryKey(),
  type: text().$type<'research' | 'trial' | 'job'>().notNull(),
  /** Workflow run to terminate. */
  runId: text('run_id').notNull(),
  start: jsonb().$type<Restart>().notNull(),
  /** Unused since 0.3. Rows of 0.2 hold the state of the terminated run. */
  left: jsonb('left_behind'),
  /** Unused since 0.3. In a row of 0.2: the new workflow run; set if the restart is done. */
  takenBy: text('taken_by'),
  at: at('at').notNull().defaultNow(),
});
