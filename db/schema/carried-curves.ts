import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { CarriedCurve } from '../../domain/abort/carried/carried-curve.ts';
import { at } from './columns.ts';
import { researches } from './research.ts';

/**
 * Finished curves of earlier researches that a research began with. They are a copy made at its start, so later changes
 * of those researches do not affect it. No row: it began without carried curves.
 */
export const carriedCurves = pgTable('carried_curves', {
  researchId: text('research_id')
    .primaryKey()
    .references(() => researches.id, { onDelete: 'cascade' }),
  /** Task version that the curves were chosen for. */
  taskHash: text('task_hash').notNull(),
  /** Oldest first. */
  curves: jsonb().$type<CarriedCurve[]>().notNull(),
  /** Number of researches that the curves come from. */
  researches: integer().notNull(),
  /** Time when the research's own baseline runs had tested the curves. */
  testedAt: at('tested_at'),
  /** Reason why the curves are not used; null while they are used, and before the test. */
  dropped: text(),
});
