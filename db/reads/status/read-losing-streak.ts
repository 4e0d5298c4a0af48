import { losingStreak, type LosingStreak } from '../../../domain/research/losing-streak.ts';
import type { FailureLabel } from '../../../domain/trial.ts';
import type { Tx } from '../../connect.ts';
import { readRecent } from '../read-log.ts';

/** Trials that are read. */
const LIMIT = 20;

/**
 * Labels of trials that failed without a fault of the proposals or the task: a proposer with nothing new to propose has
 * ended its search, and a contended trial had a busy machine.
 */
export const NO_FAILURES: readonly FailureLabel[] = ['nothing-new', 'contended'];

/** Consecutive failures of a research's last trials; null if there are too few. */
export async function readLosingStreak(db: Tx, input: { researchId: string }): Promise<LosingStreak | null> {
  const recent = await readRecent(db, { ...input, limit: LIMIT });
  return losingStreak(
    recent.filter(({ failure }) => failure === null || !NO_FAILURES.includes(failure)),
    LIMIT,
  );
}
