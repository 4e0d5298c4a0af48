import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { Left } from '../../domain/floor/left.ts';
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
  /** Knowledge of the research that only that run had; of a job that a person had cancelled it, else null. */
  left: jsonb('left_behind').$type<Left>(),
  /** The run of the research that has heard of it. */
  takenBy: text('taken_by'),
  at: at('at').notNull().defaultNow(),
});
