import { GRID, type Known, type MatchedState } from './state.ts';
import { excess, regressionAt, type Regression } from './regression.ts';

/** Good runs that a run is compared with, at least. Below that many completed runs nothing is aborted. */
export const PEERS = 20;
/** Standard errors by which a run must lie above what a run of the incumbent's final shows. */
const EXCESS = 1;

/** The completed runs that ended at least as well as `y` (signed), filled up with the next best ones to {@link PEERS}. */
export function peersOf(state: MatchedState, y: number): readonly Known[] {
  let n = 0;
  while (n < state.known.length && (state.known[n]?.final ?? Infinity) <= y) n += 1;
  return state.known.slice(0, Math.max(n, PEERS));
}

/**
 * Evidence that a run with the value `x` will not end at `y` or better, in standard errors: the smaller of its excess
 * over the regression (less {@link EXCESS}, widened for few runs) and its distance to the worst of the good runs.
 */
export function evidence(at: Regression, run: { x: number; y: number }, worst: number): number {
  const over = excess(at, run.x, run.y);
  if (over === null) return -Infinity;
  return Math.min(over.z - EXCESS * (1 + 2 / at.n), (run.x - worst) / over.se);
}

/** The worst of the good runs at a fortieth of the budget. */
export const worstOf = (peers: readonly Known[], g: number): number =>
  peers.reduce((worst, { means }) => Math.max(worst, means[g] ?? -Infinity), -Infinity);

/** The look grid: indices of the fortieths from burn-in to the last look before the end. */
export function lookGrid({ burnIn, cadence }: { burnIn: number; cadence: number }): number[] {
  const looks = new Set<number>();
  for (let share = burnIn; share < 1 - 1e-9; share += cadence) looks.add(Math.round(share * GRID));
  return [...looks].filter((g) => g < GRID);
}

/**
 * What the good runs themselves would have shown as evidence against them, each judged by the others at all looks: the
 * largest of a whole curve. Ascending.
 */
export function peerEvidence(state: MatchedState, peers: readonly Known[]): number[] {
  const largest = peers.map(() => -Infinity);
  for (const g of lookGrid(state.config)) {
    const at = regressionAt(state, g);
    const values = peers.map(({ means }) => means[g] ?? 0);
    const [first, second] = twoLargest(values);
    peers.forEach((peer, j) => {
      const x = values[j] ?? 0;
      const own = evidence(at, { x, y: peer.final }, x === first ? second : first);
      largest[j] = Math.max(largest[j] ?? -Infinity, own);
    });
  }
  return largest.sort((a, b) => a - b);
}

function twoLargest(values: readonly number[]): [number, number] {
  let [first, second] = [-Infinity, -Infinity];
  for (const value of values) {
    if (value > first) [first, second] = [value, first];
    else if (value > second) second = value;
  }
  return [first, second];
}
