import { upperQuantile } from '../statistics/student-t.ts';
import { lastShare, shareCurve, signOf, windowMean } from './curve.ts';
import { evidence, PEERS, peerEvidence, peersOf, worstOf } from './matched-time/evidence.ts';
import { regressionAt, type Regression } from './matched-time/regression.ts';
import { emptyState, GRID, learnMatched, WINDOW, type MatchedState } from './matched-time/state.ts';
import { percent, plain, short, tooEarly } from './say.ts';
import type { AbortDecision, AbortInput, AbortRule, Direction } from './types.ts';

/** Good runs whose own evidence is not asked for: one odd winner would else switch the rule off for all that follow. */
const SPARED = 1;

/**
 * Judges a run by what finished runs showed at the same share of the budget.
 *
 * A run is aborted where its evidence (see `evidence`) exceeds what all good finished runs but one have ever shown
 * against themselves over all looks. That is a conformal bound on the largest score of a whole curve, so it holds over
 * any number of looks at once: if the scores of m good runs and of a new good run are exchangeable, the new one exceeds
 * all but one of the m with probability at most 2 / (m + 1), and the ⌈(1 − α)(m + 1)⌉-th smallest with probability at
 * most α (Vovk, Gammerman and Shafer 2005, Prop. 2.3; Lei et al. 2018, Thm 2.2). With the 20 peers of a running
 * incumbent that is 10 %: what is seen is far less, because evidence above 0 is needed as well, but 2 % is measured by the
 * audit, not proven by the bound. Peers are scored without themselves in the envelope while they stay in the
 * regression: the exact form of the bound would need a fit for each. Good means: ended at least as well as the
 * incumbent, filled up to 20 with the next best.
 */
export const matchedTime: AbortRule<MatchedState> = {
  init: emptyState,
  learn: learnMatched,
  decide: (state, input) => ({ state, decision: decide(state, input) }),
};

function decide(state: MatchedState, { points, budget, incumbent, strictness = 1 }: AbortInput): AbortDecision {
  const { config, known } = state;
  const share = lastShare(points, budget);
  const early = tooEarly(share, config.burnIn);
  if (early !== null || share === null) return plain(false, share, early ?? 'no point yet');
  if (known.length < PEERS)
    return plain(false, share, `${known.length} completed runs are too few to compare with; ${PEERS} are needed`);
  // The last fortieth that the run has passed: read off in the same way as those of the finished runs.
  const g = Math.min(GRID, Math.floor(share * GRID + 1e-9));
  const x = windowMean(shareCurve(points, budget, config.direction), g / GRID, WINDOW);
  if (x === null) return plain(false, share, 'no finite value yet');
  const at = regressionAt(state, g);
  const prediction = forecast(at, x, config.direction);
  if (incumbent === null || !Number.isFinite(incumbent))
    return { ...plain(false, share, 'there is no incumbent yet'), ...prediction };
  const y = signOf(config.direction) * incumbent;
  const peers = peersOf(state, y);
  const own = evidence(at, { x, y }, worstOf(peers, g));
  if (own <= 0) {
    const reason = `at ${percent(share)} it looks like runs that ended as well as ${short(incumbent)}`;
    return { ...plain(false, share, reason), ...prediction };
  }
  const scores = peerEvidence(state, peers);
  const rank = Math.min(scores.length - SPARED, Math.ceil((1 - config.errorTarget) * (scores.length + 1)));
  const limit = Math.max(0, scores[rank - 1] ?? Infinity) * strictness + (strictness - 1);
  const abort = own > limit;
  const reason =
    `at ${percent(share)} it is worse than all of ${peers.length} good runs, by ${short(own)} standard errors; ` +
    `all of them but one have stayed below ${short(limit)}${abort ? '' : ': it goes on'}`;
  return { ...plain(abort, share, reason), ...prediction };
}

/** Least squares of the final on the value, with the interval of a new observation (Student's t, 95 %). */
function forecast(at: Regression, x: number, direction: Direction): Pick<AbortDecision, 'forecast' | 'interval'> {
  const { n, meanX, meanY, xx, yy, xy } = at;
  const sign = signOf(direction);
  const slope = xx > 0 ? xy / xx : 0;
  const middle = meanY + slope * (x - meanX);
  const rest = Math.max(0, yy - slope * xy) / (n - 2);
  const half = upperQuantile(0.025, n - 2) * Math.sqrt(rest * (1 + 1 / n + (xx > 0 ? (x - meanX) ** 2 / xx : 0)));
  const ends = [sign * (middle - half), sign * (middle + half)] as const;
  return { forecast: sign * middle, interval: { low: Math.min(...ends), high: Math.max(...ends) } };
}
