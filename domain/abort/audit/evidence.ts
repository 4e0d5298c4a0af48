import type { AuditCounts } from './counts.ts';

/** Shares of what a run without a hit may cost at most that are staked; three, because nobody knows the true share. */
const STAKES = [0.02, 0.1, 0.3] as const;

/**
 * Evidence that a share is above `bound`, from runs that may be looked at after each of them. `wrongStops`: of would-be
 * aborts, those that end well. `falseAborts`: of runs that end well, those that the rule aborts.
 *
 * A run with the audit probability p has the payoff X − t, with t the bound and
 *  - of wrong stops: X = 1/p for one that was audited and ended well, 0 for any other would-be abort, stopped ones, too;
 *  - of false aborts: X − t = (1 − t)/p for a good would-be abort that was audited, 0 for one that was not (nobody knows
 *    of it), −t for a good survivor.
 * In both the mean of X − t, given all before, is μ − t, with μ the probability that the run counts: the lot decides p and
 * knows nothing else (inverse-probability weighting; Horvitz and Thompson 1952). With a constant bet λ < 1/t
 *
 *     wealth Wₙ = Π (1 + λ(Xᵢ − t)),     Mₙ = Wₙ / Π (1 + λ(μᵢ − t)) is a martingale ≥ 0 with mean 1,
 *
 * and by the inequality of arithmetic and geometric means Π (1 + λ(μᵢ − t)) ≤ (1 + λ(mean of μ − t))ⁿ ≤ 1 as long as the
 * mean of μ up to n is at most t: there Wₙ ≤ Mₙ. By Ville's inequality (Ville 1939) the wealth reaches 1/δ at any n whose
 * mean is at most t with probability at most δ. The same goes for the mean of several bets. (Tests by betting: Waudby-Smith
 * and Ramdas 2024, §4; with inverse-probability weights: Waudby-Smith, Wu, Ramdas, Karampatziakis and Mineiro 2024.)
 */
export function evidenceOf(kind: AuditShare, counts: AuditCounts, bound: number): number {
  const seen = SEEN[kind](counts);
  const wealths = STAKES.map((stake) => {
    const logs = counts.wanted.map(({ probability, good }) =>
      good === 0 ? 0 : good * Math.log1p((stake / bound) * PAYOFF[kind](probability, bound)),
    );
    return Math.exp(seen * Math.log1p(-stake) + logs.reduce((sum, log) => sum + log, 0));
  });
  return wealths.reduce((sum, wealth) => sum + wealth, 0) / STAKES.length;
}

export type AuditShare = 'wrongStops' | 'falseAborts';

/** Runs that count against the claim, each with the payoff −t. */
const SEEN: Record<AuditShare, (counts: AuditCounts) => number> = {
  wrongStops: ({ wanted }) => wanted.reduce((sum, { runs, good }) => sum + runs - good, 0),
  falseAborts: ({ survivors }) => survivors,
};

const PAYOFF: Record<AuditShare, (probability: number, bound: number) => number> = {
  wrongStops: (probability, bound) => 1 / probability - bound,
  falseAborts: (probability, bound) => (1 - bound) / probability,
};

/**
 * Lower confidence limit of a weighted share: the largest bound against which the evidence is 1/δ or more (it falls as the
 * bound rises); 0 where nothing was seen. For each fixed bound it holds at all times: with probability at most δ the limit
 * is ever above the bound while the mean probability over the runs so far is not.
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
