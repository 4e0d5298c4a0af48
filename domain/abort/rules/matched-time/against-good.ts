import { upperQuantile } from '../../../statistics/student-t.ts';
import { DEFAULT_ABORT, type AbortConfig } from '../../types.ts';
import { isSaneAt, type Known, type MatchedState } from './state.ts';
import { short } from '../../../text/format.ts';
import { lookGrid, type Look, type Verdict } from './look.ts';
import { limitOf, type Scored } from './quantile.ts';
import { excess, regressionAt, type Regression } from './regression.ts';

/** Good runs that a run is compared with, at least. Below that many completed runs there is no such comparison. */
export const PEERS = 30;
/** Good runs whose own evidence is not asked for: one odd winner would else switch the rule off for all that follow. */
const SPARED = 1;
/** Standard errors by which a run must lie above what a run of the incumbent's final shows. */
const EXCESS = 1;

/** Above what a run of the final `y` shows, and behind all good runs by more than these, all but one, ever were. */
export function againstGood(state: MatchedState, { g, at, x, y, strictness }: Look): Verdict {
  const peers = peersOf(state, y);
  const shown = peers.filter(isSaneAt(state, g));
  // Of a few of them the worst is none to be measured by.
  const own = 2 * shown.length > peers.length ? evidence(at, { x, y }, worstOf(shown, g)) : -Infinity;
  if (own <= 0) return { abort: false, words: (target) => `like ${target}` };
  const scores = peerEvidence(state, peers);
  const weight = scores.reduce((sum, one) => sum + one.weight, 0);
  const below = Math.min(weight - SPARED, (1 - state.config.errorTarget) * (weight + 1));
  const asked = strictness * careOf(state.config);
  const limit = limitOf(scores, below) * asked + (asked - 1);
  const words = (): string =>
    `worse than all of ${shown.length} good runs, by ${short(own)} standard errors; ` +
    `among themselves all but one lie behind by no more than ${short(limit)}`;
  return { abort: own > limit, words };
}

/** The error that so few peers can show. */
const SHOWN = 2 / (PEERS + 1);

/**
 * As {@link PEERS} cannot show an error of 2 %, their limit is the same for all targets below {@link SHOWN}. What another target
 * than the default asks for more, or less, is in the ratio of Student's t at both, as if scores were normal.
 */
function careOf(config: AbortConfig): number {
  const asks = (error: number): number => upperQuantile(error / lookGrid(config).length, PEERS - 2);
  const target = Math.min(config.errorTarget, SHOWN);
  return target === DEFAULT_ABORT.errorTarget ? 1 : asks(target) / asks(DEFAULT_ABORT.errorTarget);
}

/** The completed runs that ended at least as well as `y` (signed), filled up with the next best ones to `fewest`. */
export function peersOf({ known }: MatchedState, y: number, fewest = PEERS): readonly Known[] {
  let n = 0;
  while (n < known.length && (known[n]?.final ?? Infinity) <= y) n += 1;
  return known.slice(0, Math.max(n, fewest));
}

/**
 * Evidence that a run with the value `x` will not end at `y` or better, in standard errors: the smaller of its excess
 * over the regression (less {@link EXCESS}, widened for few runs) and its distance to the worst of the good runs.
 */
function evidence(at: Regression, run: { x: number; y: number }, worst: number): number {
  const over = excess(at, run.x, run.y);
  if (over === null) return -Infinity;
  return Math.min(over.z - EXCESS * (1 + 2 / at.n), (run.x - worst) / over.se);
}

/** The worst of the good runs at a fortieth of the budget. */
const worstOf = (peers: readonly Known[], g: number): number =>
  peers.reduce((worst, { means }) => Math.max(worst, means[g] ?? -Infinity), -Infinity);

/**
 * What the good runs themselves would have shown as evidence against them, each judged by the others at all looks: the
 * largest of a whole curve, in the order of `peers`, at least 0. At a look it is above 0 only for the one that lies behind
 * all others there, and never for one whose value there is absurd.
 */
function peerEvidence(state: MatchedState, peers: readonly Known[]): Scored[] {
  const scores = peers.map(({ weight }) => ({ score: 0, weight }));
  for (const g of lookGrid(state.config)) {
    const { last, x, next } = lastOf(peers, { g, isShown: isSaneAt(state, g) });
    const [peer, one] = [peers[last], scores[last]];
    if (peer && one) one.score = Math.max(one.score, evidence(regressionAt(state, g), { x, y: peer.final }, next));
  }
  return scores;
}

/** The last of the good runs at a fortieth of the budget, its value there, and that of the last but one. */
function lastOf(
  peers: readonly Known[],
  { g, isShown }: { g: number; isShown: (run: Known) => boolean },
): { last: number; x: number; next: number } {
  let [last, x, next] = [-1, -Infinity, -Infinity];
  peers.forEach((peer, j) => {
    if (!isShown(peer)) return;
    const value = peer.means[g] ?? 0;
    if (value > x) [last, x, next] = [j, value, x];
    else if (value > next) next = value;
  });
  return { last, x, next };
}
