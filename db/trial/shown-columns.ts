import { getTableColumns } from 'drizzle-orm';
import { trials } from '../schema.ts';

const HIDDEN = ['evaluatorSeed', 'proposerSeed', 'feedback', 'changedXid'] as const;
type Hidden = (typeof HIDDEN)[number];

/**
 * Columns of a trial that lists show: all but the seeds of its evaluator and of its proposer, and the cases of the
 * evaluator, which are long and which not everybody may read, and the transaction of the last change.
 */
export const shownColumns = Object.fromEntries(
  Object.entries(getTableColumns(trials)).filter(([name]) => !HIDDEN.some((hidden) => hidden === name)),
) as Omit<(typeof trials)['_']['columns'], Hidden>;
export type ShownTrial = Omit<typeof trials.$inferSelect, Hidden>;
