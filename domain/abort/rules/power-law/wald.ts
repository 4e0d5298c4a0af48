/**
 * Log thresholds of Wald's sequential test of H0 "good" against H1 "bad": abort at log((1 − β)/α), keep for good at
 * log(β/(1 − α)); α is the accepted share of false aborts, β that of bad runs kept. Source: Wald, Sequential Analysis
 * (1947), §3.2; the errors that result obey α′ ≤ α/(1 − β), β′ ≤ β/(1 − α), α′ + β′ ≤ α + β.
 */
export function waldThresholds(alpha: number, beta: number): { abort: number; keep: number } {
  return { abort: Math.log((1 - beta) / alpha), keep: Math.log(beta / (1 - alpha)) };
}

export type WaldDecision = 'abort' | 'keep' | null;

/** Adds up the log likelihood ratios of successive looks; the first threshold that is passed decides for good. */
export function runSequentialTest(
  increments: readonly number[],
  limits: { abort: number; keep: number },
): { verdict: WaldDecision; sum: number } {
  let sum = 0;
  for (const increment of increments) {
    sum += increment;
    if (sum >= limits.abort) return { verdict: 'abort', sum };
    if (sum <= limits.keep) return { verdict: 'keep', sum };
  }
  return { verdict: null, sum };
}

/** Log likelihood ratios of independent normal looks with unit variance: mean `effect` against mean 0. */
export const independentRatios = (looks: readonly number[], effect: number): number[] =>
  looks.map((z) => effect * z - (effect * effect) / 2);

/** Step of {@link correlatedRatios}: a look's deviation is phi times the previous one plus noise of this variance. */
export interface Link {
  phi: number;
  variance: number;
}

/**
 * Log likelihood ratios of successive looks whose deviations from the truth form a Markov chain. Each look is judged
 * given the one before, so only its new information counts. `looks` are deviations from the incumbent; H1 shifts all by
 * `effect`.
 */
export function correlatedRatios(looks: readonly number[], links: readonly Link[], effect: number): number[] {
  return looks.map((x, i) => {
    const { phi, variance } = links[i] ?? { phi: 0, variance: Infinity };
    const before = i === 0 ? 0 : (looks[i - 1] ?? 0);
    const shift = i === 0 ? effect : effect * (1 - phi);
    const fresh = i === 0 ? x : x - phi * before;
    return variance > 0 ? (shift * fresh - (shift * shift) / 2) / variance : 0;
  });
}
