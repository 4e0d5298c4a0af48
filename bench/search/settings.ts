/**
 * Sizes and goals of the comparison. All of them were fixed before the first run; a later change is a new comparison,
 * and is stated in docs/experiments/0042.
 */

/** Trials of one repeat, by problem; the repeats that each arm gets. */
export const SIZES = {
  'smooth-2': { repeats: 80, trials: 100 },
  'noisy-8': { repeats: 80, trials: 100 },
  'deceptive-30': { repeats: 80, trials: 100 },
  'digits-5': { repeats: 80, trials: 100 },
  'circles-8': { repeats: 10, trials: 60 },
} as const satisfies Record<string, { repeats: number; trials: number }>;

/** Numbers of trials after which the best is listed. */
export const LISTED = [25, 50, 100];

/** Repeat r draws its start with the first seed plus r, and its noise with the second plus r. All arms share both. */
export const SEEDS = { start: 1000, noise: 77_000 };

/** Candidates without an outcome when the next one is drawn. */
export const IN_FLIGHT = 0;

/** Resamples of a bootstrap interval; its level is 95 %. */
export const RESAMPLES = 2000;

export const GOALS = {
  /**
   * Share of the gain of Optuna's TPE over `uniform` by which `tpe` may be worse, for the upper 95 % bound of the
   * difference of interquartile means. The goal asks for all problems at once, so that no correction is needed.
   */
  margin: 0.1,
  /** The problem on which `tpe` must be better: the upper bound is below 0. */
  better: 'noisy-8',
  /** `tpe` needs at most this share of Optuna's CPU seconds a proposal. */
  cpuShare: 1 / 5,
} as const;

/** Versions of the packages of Optuna's arms (optuna/requirements.txt). */
export const OPTUNA = '5.0.0';
