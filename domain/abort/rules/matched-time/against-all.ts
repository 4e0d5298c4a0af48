import { plural } from '../../../text/plural.ts';
import { upperQuantile } from '../../../statistics/student-t.ts';
import { formatAbortNumber } from '../../../text/format.ts';
import { lookGrid, type Look, type TestResult } from './look.ts';
import { weightedQuantile } from './weighted-quantile.ts';
import { excess, regressionAt, type Excess } from './regression.ts';
import { isPlausibleAt, type MatchedState } from './state.ts';

/** Completed runs before any run is aborted. */
export const FEWEST = 10;

/** Completed runs below which no run is stopped that looks no worse than one of the best of them: so few tell no rare residual. */
const [ENOUGH, BEST] = [20, 3];

/** Further above what a run of the final `y` shows than finished runs were above what their own finals show. */
export function againstAll(state: MatchedState, { g, at, x, y, strictness }: Look): TestResult {
  const { limit, known } = state;
  const own = excess(at, x, y)?.z ?? -Infinity;
  const most = (limit ?? Infinity) * strictness;
  const words = (target: string): string =>
    own <= 0
      ? `as good as ${target}`
      : `${formatAbortNumber(own)} standard errors worse than ${target}; the limit from ${plural(known.length, 'run')} is ${formatAbortNumber(most)}`;
  if (own > most && known.length < ENOUGH && looksLikeBest(state, { g, x }))
    return { abort: false, words: () => `like one of the best ${BEST} finished runs` };
  return { abort: own > most, words };
}

const looksLikeBest = (state: MatchedState, { g, x }: Pick<Look, 'g' | 'x'>): boolean =>
  state.known
    .filter(isPlausibleAt(state, g))
    .slice(0, BEST)
    .some(({ means }) => (means[g] ?? -Infinity) >= x);

/**
 * Standard errors over the regression that a run must exceed at some look: of the largest that each completed run showed
 * over its whole curve, judged by the others, the ⌈(1 − α)(n + 1)⌉-th smallest, or the largest where n is too small. Where
 * the residuals of n runs and of a new one are exchangeable and all were let run on, a new one exceeds it with
 * probability of about max(α, 1 / (n + 1)), over all looks at once (jackknife form of conformal prediction: Vovk, Gammerman
 * and Shafer 2005, Prop. 2.3; the exact form would need a fit for each guess of the new run's end). Because n is small at
 * first, Student's t with α shared out over the looks (Bonferroni) has to be exceeded, too. A look at which a run's value is
 * absurd does not count for it. Null where there are too few runs, or where they say nothing (all alike).
 */
export function residualLimit(state: MatchedState): number | null {
  const { known, config } = state;
  if (known.length < FEWEST) return null;
  const looks = lookGrid(config);
  const largest = known.map(({ weight }) => ({ score: -Infinity, weight }));
  let fewest = known.length;
  for (const g of looks) {
    const at = regressionAt(state, g);
    fewest = Math.min(fewest, at.n);
    const isSane = isPlausibleAt(state, g);
    for (const [j, run] of known.entries()) {
      const own = isSane(run) ? excess(at, run.means[g] ?? 0, run.final) : null;
      const one = largest[j];
      if (own && one) one.score = Math.max(one.score, studentizeExternally(own, at.n));
    }
  }
  const weight = largest.reduce((sum, one) => sum + one.weight, 0);
  const seen = weightedQuantile(largest, Math.min(weight, (1 - config.errorTarget) * (weight + 1)));
  const limit = Math.max(upperQuantile(config.errorTarget / looks.length, fewest - 3), seen);
  return Number.isFinite(limit) ? limit : null;
}

/** A learned run's excess over the regression of the others (externally studentised; Cook and Weisberg 1982, §2.2.1). */
export function studentizeExternally({ z, leverage }: Excess, n: number): number {
  const studentised = z * Math.sqrt((1 + leverage) / Math.max(1e-9, 1 - leverage));
  const free = n - 2 - studentised * studentised;
  return free > 0 ? studentised * Math.sqrt((n - 3) / free) : Math.sign(studentised) * Infinity;
}
