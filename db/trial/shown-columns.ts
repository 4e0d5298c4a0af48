import { getTableColumns } from 'drizzle-orm';
import { trials } from '../schema.ts';

const HIDDEN = ['evaluatorSeed', 'proposerSeed'] as const;
type Hidden = (typeof HIDDEN)[number];

/** Columns of a trial that a surface may show: all but the seeds of its evaluator and of its proposer. */
export const shownColumns = Object.fromEntries(
  Object.entries(getTableColumns(trials)).filter(([name]) => !HIDDEN.some((hidden) => hidden === name)),
) as Omit<(typeof trials)['_']['columns'], Hidden>;
export type ShownTrial = Omit<typeof trials.$inferSelect, Hidden>;
