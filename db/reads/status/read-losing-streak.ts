import { losingStreak, type LosingStreak } from '../../../domain/research/losing-streak.ts';
import type { Tx } from '../../connect.ts';
import { readRecent } from '../read-log.ts';

/** Trials that are looked at. */
const LIMIT = 20;

/** The failures that a research ends with at present; null where there are too few to speak of. */
export async function readLosingStreak(db: Tx, input: { researchId: string }): Promise<LosingStreak | null> {
  const recent = await readRecent(db, { ...input, limit: LIMIT });
  // The end of a search is no failure of it.
  return losingStreak(
    recent.filter(({ failure }) => failure !== 'nothing-new'),
    LIMIT,
  );
}
