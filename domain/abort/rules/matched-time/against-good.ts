import { upperQuantile } from '../../../statistics/student-t.ts';
import { DEFAULT_ABORT, type AbortConfig } from '../../types.ts';
import { isPlausibleAt, type KnownRun, type MatchedState } from './state.ts';
import { formatAbortNumber } from '../../../text/format.ts';
import { lookGrid, type Look, type TestResult } from './look.ts';
import { weightedQuantile, type WeightedScore } from './weighted-quantile.ts';
import { excess, regressionAt, type Regression } from './regression.ts';

/** Fewest good runs that a run is compared with. With fewer completed runs the test is not made. */
export const PEERS = 12;
/** With many completed runs a fifth of them are good, up to {@link MOST}: few good runs show no rare one. */
const ONE_IN = 5;
const MOST = 30;
/** Standard errors by which a run must lie above the regression at the incumbent's final. */
const EXCESS = 1;

/** Tests for a run above the regression at the final `y`, and further behind all good runs than any of them lay. */
export function againstGood(state: MatchedState, { g, at, x, y, strictness }: Look): TestResult {
  const peers = peersOf(state, y, fewestOf(state.known.length));
  const shown = peers.filter(isPlausibleAt(state, g));
  // If only a minority of the good runs is plausible at this look, their worst is no yardstick.
  const envelope = 2 * shown.length > peers.length ? { worst: worstOf(shown, g), sd: spreadOf(shown, g) } : null;
  const score = envelope === null ? -Infinity : evidence(at, { x, y }, envelope);
  if (score <= 0) return { abort: false, describe: (target) => `like ${target}` };
  const scores = peerEvidence(state, peers);
  const total = scores.reduce((sum, { weight }) => sum + weight, 0);
  const below = Math.min(total, (1 - state.config.errorTarget) * (total + 1));
  const factor = strictness * targetFactor(state.config);
  const limit = weightedQuantile(scores, below) * factor + (factor - 1);
  const describe = (): string =>
    `worse than all of ${shown.length} good runs, by ${formatAbortNumber(score)} of their standard deviations; ` +
    `the limit among them is ${formatAbortNumber(limit)}`;
  return { abort: score > limit, describe };
}

/** Fewest good runs that a run is compared with, by the number of known runs. */
const fewestOf = (known: number): number => Math.min(MOST, Math.max(PEERS, Math.ceil(known / ONE_IN)));

/**
 * Factor on the limit for an error target other than the default. {@link PEERS} runs cannot show an error of 2 %, so
 * their limit is the same for all targets. The factor is the ratio of Student's t at both targets, as if scores were
 * normal.
 */
function targetFactor(config: AbortConfig): number {
  const t = (error: number): number => upperQuantile(error / lookGrid(config).length, PEERS - 2);
  const target = config.errorTarget;
  return target === DEFAULT_ABORT.errorTarget ? 1 : t(target) / t(DEFAULT_ABORT.errorTarget);
}

/** The completed runs that ended at least as well as `y` (signed), filled up with the next best ones to `fewest`. */
export function peersOf({ known }: MatchedState, y: number, fewest: number): readonly KnownRun[] {
  let n = 0;
  while (n < known.length && (known[n]?.final ?? Infinity) <= y) n += 1;
  return known.slice(0, Math.max(n, fewest));
}

/** Envelope of good runs at one share of the budget: the worst value, and their standard deviation. */
interface Envelope {
  worst: number;
  sd: number;
}

/**
 * Evidence that a run with the value `x` will not end at `y` or better: the smaller of its excess over the regression
 * in standard errors (less {@link EXCESS}, widened for few runs) and its distance to the worst of the good runs in
 * their standard deviations. Good runs have their own scale at each look: if bad runs differ much, the regression's
 * scale says nothing about good ones.
 */
function evidence(at: Regression, run: { x: number; y: number }, { worst, sd }: Envelope): number {
  const over = excess(at, run.x, run.y);
  if (over === null) return -Infinity;
  return Math.min(over.z - EXCESS * (1 + 2 / at.n), (run.x - worst) / (sd > 0 ? sd : over.se));
}

/** Standard deviation of the good runs at a fortieth of the budget; NaN for a single run. */
function spreadOf(peers: readonly KnownRun[], g: number): number {
  const values = peers.map(({ means }) => means[g] ?? 0);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/** The worst value of the good runs at a fortieth of the budget. */
const worstOf = (peers: readonly KnownRun[], g: number): number =>
  peers.reduce((worst, { means }) => Math.max(worst, means[g] ?? -Infinity), -Infinity);

/**
 * Evidence against each good run, judged by the others: the largest over all looks, at least 0, in the order of
 * `peers`. At a look only the run that lies behind all others can have evidence above 0. A run whose value there is an
 * outlier has none.
 */
function peerEvidence(state: MatchedState, peers: readonly KnownRun[]): WeightedScore[] {
  const scores = peers.map(({ weight }) => ({ score: 0, weight }));
  for (const g of lookGrid(state.config)) {
    const isShown = isPlausibleAt(state, g);
    const { last, x, next } = lastOf(peers, { g, isShown });
    const [peer, entry] = [peers[last], scores[last]];
    if (!peer || !entry) continue;
    const others = { worst: next, sd: spreadOf(peers.filter(isShown), g) };
    entry.score = Math.max(entry.score, evidence(regressionAt(state, g), { x, y: peer.final }, others));
  }
  return scores;
}

/** Index of the worst good run at a fortieth of the budget (−1: none), its value there, and the second worst value. */
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
