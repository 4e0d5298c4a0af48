import { losingStreak, type LosingStreak } from '../../../domain/research/losing-streak.ts';
import type { Tx } from '../../connect.ts';
import { readRecent } from '../read-log.ts';

/** Trials that are looked at. */
const LIMIT = 20;

/** The failures that a research ends with at present; null where there are too few to speak of. */
export const readLosingStreak = async (db: Tx, input: { researchId: string }): Promise<LosingStreak | null> =>
  losingStreak(await readRecent(db, { ...input, limit: LIMIT }), LIMIT);
