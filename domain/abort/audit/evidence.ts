import type { AuditCounts } from './counts.ts';

/** Stakes: shares of the wealth that one run without a hit loses. Three, because the true share is unknown. */
const STAKES = [0.02, 0.1, 0.3] as const;

/**
 * Evidence that a share is above `bound`; it may be checked after each run. `wrongStops`: the share of would-be aborts
 * that end well. `falseAborts`: the share of runs that end well that the rule aborts.
 *
 * A run with the audit probability p has the payoff X − t, with t the bound:
 *  - wrong stops: X = 1/p for an audited run that ended well, 0 for any other would-be abort, stopped ones included;
 *  - false aborts: X − t = (1 − t)/p for an audited good would-be abort, 0 for one that was not audited (its end is
 *    unknown), −t for a good survivor.
 * Given all earlier runs, the mean of X − t is μ − t in both cases, with μ the probability that the run counts: the
 * draw has probability p and does not depend on the run's end (inverse-probability weighting; Horvitz and Thompson
 * 1952). With a constant bet λ < 1/t
 *
 *     wealth Wₙ = Π (1 + λ(Xᵢ − t)),     Mₙ = Wₙ / Π (1 + λ(μᵢ − t)) is a martingale ≥ 0 with mean 1.
 *
 * If the mean of μ up to n is at most t, the inequality of arithmetic and geometric means gives
 *
 *     Π (1 + λ(μᵢ − t)) ≤ (1 + λ(mean of μ − t))ⁿ ≤ 1, so Wₙ ≤ Mₙ.
 *
 * By Ville's inequality (Ville 1939) the wealth reaches 1/δ at any such n with probability at most δ. The same holds
 * for the mean of several bets. (Tests by betting: Waudby-Smith and Ramdas 2024, §4; with inverse-probability weights:
 * Waudby-Smith, Wu, Ramdas, Karampatziakis and Mineiro 2024.)
 */
export function evidenceOf(kind: AuditShare, counts: AuditCounts, bound: number): number {
  const losses = LOSSES[kind](counts);
  const wealths = STAKES.map((stake) => {
    const logs = counts.wanted.map(({ probability, good }) =>
      good === 0 ? 0 : good * Math.log1p((stake / bound) * PAYOFF[kind](probability, bound)),
    );
    return Math.exp(losses * Math.log1p(-stake) + logs.reduce((sum, log) => sum + log, 0));
  });
  return wealths.reduce((sum, wealth) => sum + wealth, 0) / STAKES.length;
}

export type AuditShare = 'wrongStops' | 'falseAborts';

/** Number of runs that count against the claim, each with the payoff −t. */
const LOSSES: Record<AuditShare, (counts: AuditCounts) => number> = {
  wrongStops: ({ wanted }) => wanted.reduce((sum, { runs, good }) => sum + runs - good, 0),
  falseAborts: ({ survivors }) => survivors,
};

const PAYOFF: Record<AuditShare, (probability: number, bound: number) => number> = {
  wrongStops: (probability, bound) => 1 / probability - bound,
  falseAborts: (probability, bound) => (1 - bound) / probability,
};

/**
 * Lower confidence limit of a weighted share: the largest bound against which the evidence is 1/δ or more (the evidence
 * falls as the bound rises); 0 without observations. For each fixed bound the limit holds at all times: with
 * probability at most δ it is ever above the bound while the mean probability over the runs so far is not.
 */
export function lowerLimit(kind: AuditShare, counts: AuditCounts, delta: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 50; i += 1) {
    const middle = (low + high) / 2;
    if (evidenceOf(kind, counts, middle) >= 1 / delta) low = middle;
    else high = middle;
  }
  return low;
}
