import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { CarriedCurve } from '../../domain/abort/carried/carried-curve.ts';
import { at } from './columns.ts';
import { researches } from './research.ts';

/**
 * Finished curves of earlier researches that one began with: their content as it was at its start, so that they are the same
 * whatever becomes of these. No row: it began with nothing.
 */
export const carriedCurves = pgTable('carried_curves', {
  researchId: text('research_id')
    .primaryKey()
    .references(() => researches.id, { onDelete: 'cascade' }),
  /** The task version that they were chosen for. */
  taskHash: text('task_hash').notNull(),
  /** The oldest first. */
  curves: jsonb().$type<CarriedCurve[]>().notNull(),
  /** Researches that they are of. */
  researches: integer().notNull(),
  /** When the research's own baseline runs had tested them. */
  testedAt: at('tested_at'),
  /** Why they are not compared with; null while they are, and before the test. */
  dropped: text(),
});
