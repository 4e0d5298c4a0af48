import { upperQuantile } from '../../../statistics/student-t.ts';
import { DEFAULT_ABORT, type AbortConfig } from '../../types.ts';
import { isPlausibleAt, type KnownRun, type MatchedState } from './state.ts';
import { formatAbortNumber } from '../../../text/format.ts';
import { lookGrid, type Look, type TestResult } from './look.ts';
import { weightedQuantile, type WeightedScore } from './weighted-quantile.ts';
import { excess, regressionAt, type Regression } from './regression.ts';

/** Good runs that a run is compared with, at least. Below that many completed runs there is no such comparison. */
export const PEERS = 12;
/** Of many completed runs they are one in so many, and no more than so many at least: few good runs tell no rare one. */
const [ONE_IN, MOST] = [5, 30];
/** Standard errors by which a run must lie above what a run of the incumbent's final shows. */
const EXCESS = 1;

/** Above what a run of the final `y` shows, and behind all good runs by more than any of these ever was. */
export function againstGood(state: MatchedState, { g, at, x, y, strictness }: Look): TestResult {
  const peers = peersOf(state, y, fewestOf(state.known.length));
  const shown = peers.filter(isPlausibleAt(state, g));
  // Of a few of them the worst is none to be measured by.
  const seen = 2 * shown.length > peers.length ? { worst: worstOf(shown, g), sd: spreadOf(shown, g) } : null;
  const own = seen === null ? -Infinity : evidence(at, { x, y }, seen);
  if (own <= 0) return { abort: false, words: (target) => `like ${target}` };
  const scores = peerEvidence(state, peers);
  const weight = scores.reduce((sum, one) => sum + one.weight, 0);
  const below = Math.min(weight, (1 - state.config.errorTarget) * (weight + 1));
  const asked = strictness * careOf(state.config);
  const limit = weightedQuantile(scores, below) * asked + (asked - 1);
  const words = (): string =>
    `worse than all of ${shown.length} good runs, by ${formatAbortNumber(own)} of their standard deviations; ` +
    `among themselves none lies behind by more than ${formatAbortNumber(limit)}`;
  return { abort: own > limit, words };
}

/** Good runs that a run is compared with, at least, once so many are known. */
const fewestOf = (known: number): number => Math.min(MOST, Math.max(PEERS, Math.ceil(known / ONE_IN)));

/**
 * As {@link PEERS} cannot show an error of 2 %, their limit is the same for all targets. What another target than the default
 * asks for more, or less, is in the ratio of Student's t at both, as if scores were normal.
 */
function careOf(config: AbortConfig): number {
  const asks = (error: number): number => upperQuantile(error / lookGrid(config).length, PEERS - 2);
  const target = config.errorTarget;
  return target === DEFAULT_ABORT.errorTarget ? 1 : asks(target) / asks(DEFAULT_ABORT.errorTarget);
}

/** The completed runs that ended at least as well as `y` (signed), filled up with the next best ones to `fewest`. */
export function peersOf({ known }: MatchedState, y: number, fewest: number): readonly KnownRun[] {
  let n = 0;
  while (n < known.length && (known[n]?.final ?? Infinity) <= y) n += 1;
  return known.slice(0, Math.max(n, fewest));
}

/** What good runs show at one share of the budget: the worst value, and how far they lie apart. */
interface Shown {
  worst: number;
  sd: number;
}

/**
 * Evidence that a run with the value `x` will not end at `y` or better: the smaller of its excess over the regression in
 * standard errors (less {@link EXCESS}, widened for few runs) and its distance to the worst of the good runs in their standard
 * deviations. These have a scale of their own at each look: where bad runs differ much, the regression's says nothing of good ones.
 */
function evidence(at: Regression, run: { x: number; y: number }, { worst, sd }: Shown): number {
  const over = excess(at, run.x, run.y);
  if (over === null) return -Infinity;
  return Math.min(over.z - EXCESS * (1 + 2 / at.n), (run.x - worst) / (sd > 0 ? sd : over.se));
}

/** Standard deviation of the good runs at a fortieth of the budget; NaN of a single one. */
function spreadOf(peers: readonly KnownRun[], g: number): number {
  const values = peers.map(({ means }) => means[g] ?? 0);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/** The worst of the good runs at a fortieth of the budget. */
const worstOf = (peers: readonly KnownRun[], g: number): number =>
  peers.reduce((worst, { means }) => Math.max(worst, means[g] ?? -Infinity), -Infinity);

/**
 * What the good runs themselves would have shown as evidence against them, each judged by the others at all looks: the
 * largest of a whole curve, in the order of `peers`, at least 0. At a look it is above 0 only for the one that lies behind
 * all others there, and never for one whose value there is absurd.
 */
function peerEvidence(state: MatchedState, peers: readonly KnownRun[]): WeightedScore[] {
  const scores = peers.map(({ weight }) => ({ score: 0, weight }));
  for (const g of lookGrid(state.config)) {
    const isShown = isPlausibleAt(state, g);
    const { last, x, next } = lastOf(peers, { g, isShown });
    const [peer, one] = [peers[last], scores[last]];
    if (!peer || !one) continue;
    const others = { worst: next, sd: spreadOf(peers.filter(isShown), g) };
    one.score = Math.max(one.score, evidence(regressionAt(state, g), { x, y: peer.final }, others));
  }
  return scores;
}

/** The last of the good runs at a fortieth of the budget, its value there, and that of the last but one. */
function lastOf(
  peers: readonly KnownRun[],
  { g, isShown }: { g: number; isShown: (run: KnownRun) => boolean },
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
