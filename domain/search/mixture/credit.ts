import type { TrialStatus } from '../../trial.ts';
import type { Credit } from './arm.ts';

/** Number of the last scores that a new score is compared with. */
export const LAST_SCORES = 100;

/** Numbers of the last scores: all, those worse than a value, and those equal to it. */
export interface RankAmongLast {
  scored: number;
  worse: number;
  equal: number;
}

/** An outcome as it counts for an arm. */
export interface ArmOutcome {
  status: TrialStatus;
  /** True if a person stopped it, or if its value cannot be compared with the research's. */
  isExcluded: boolean;
  /** True if its candidate was known. */
  isCopy: boolean;
  /** Its rank; null without a score. */
  rank: RankAmongLast | null;
  seconds: number;
  usd: number;
}

/**
 * The credit that an outcome adds to its arm. The reward is (w + e/2 + ½) / (s + 1) for s scores before, w of them
 * worse and e equal: the first score gets ½. A trial without a score and a copy count without a reward. A trial that a
 * machine lost or a person stopped adds nothing.
 */
export function creditOf({ status, isExcluded, isCopy, rank, seconds, usd }: ArmOutcome): Omit<Credit, 'chosen'> {
  if (isExcluded || status === 'lost') return { trials: 0, scored: 0, reward: 0, seconds: 0, usd: 0 };
  if (rank === null || isCopy) return { trials: 1, scored: rank === null ? 0 : 1, reward: 0, seconds, usd };
  const { scored, worse, equal } = rank;
  return { trials: 1, scored: 1, reward: (worse + equal / 2 + 0.5) / (scored + 1), seconds, usd };
}
