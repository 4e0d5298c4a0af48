import { losingStreak, type LosingStreak } from '../../../domain/research/losing-streak.ts';
import type { Tx } from '../../connect.ts';
import { readRecent } from '../read-log.ts';

/** Trials that are read. */
const LIMIT = 20;

/** Consecutive failures of a research's last trials; null if there are too few. */
export async function readLosingStreak(db: Tx, input: { researchId: string }): Promise<LosingStreak | null> {
  const recent = await readRecent(db, { ...input, limit: LIMIT });
  // A proposer with nothing new to propose has ended its search; that is no failure.
  return losingStreak(
    recent.filter(({ failure }) => failure !== 'nothing-new'),
    LIMIT,
  );
}
