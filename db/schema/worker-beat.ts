import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { at } from './columns.ts';

/** Last beat of each worker process. A row goes a day after the worker's death, or later if no worker runs. */
export const workerBeats = pgTable('worker_beats', {
  /** Name of the worker, as in `slots.holder`. */
  workerId: text('worker_id').primaryKey(),
  host: text().notNull(),
  pid: integer().notNull(),
  at: at('at').notNull().defaultNow(),
});
