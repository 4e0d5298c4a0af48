import { plural } from '../../../text/plural.ts';
import { upperQuantile } from '../../../statistics/student-t.ts';
import { formatAbortNumber } from '../../../text/format.ts';
import { lookGrid, type Look, type TestResult } from './look.ts';
import { weightedQuantile } from './weighted-quantile.ts';
import { excess, regressionAt, type Excess } from './regression.ts';
import { isPlausibleAt, type MatchedState } from './state.ts';

/** Completed runs before any run is aborted. */
export const FEWEST = 10;

/** While fewer runs have completed, a run that looks like one of the best goes on: so few show no rare residual. */
const ENOUGH = 20;
/** Best completed runs that such a run is compared with. */
const BEST = 3;

/** Tests for a run further above the regression at the final `y` than finished runs lay above it at their finals. */
export function againstAll(state: MatchedState, { g, at, x, y, strictness }: Look): TestResult {
  const { limit, known } = state;
  const score = excess(at, x, y)?.z ?? -Infinity;
  const most = (limit ?? Infinity) * strictness;
  const describe = (target: string): string =>
    score <= 0
      ? `as good as ${target}`
      : `${formatAbortNumber(score)} standard errors worse than ${target}; ` +
        `the limit from ${plural(known.length, 'run')} is ${formatAbortNumber(most)}`;
  if (score > most && known.length < ENOUGH && looksLikeBest(state, { g, x }))
    return { abort: false, describe: () => `like one of the best ${BEST} finished runs` };
  return { abort: score > most, describe };
}

const looksLikeBest = (state: MatchedState, { g, x }: Pick<Look, 'g' | 'x'>): boolean =>
  state.known
    .filter(isPlausibleAt(state, g))
    .slice(0, BEST)
    .some(({ means }) => (means[g] ?? -Infinity) >= x);

/**
 * Standard errors above the regression that a run must exceed at some look. Each completed run has a largest excess
 * over its whole curve, judged by the others. The limit is the ⌈(1 − α)(n + 1)⌉-th smallest of these, or the largest if
 * n is too small. If the residuals of n runs and of a new one are exchangeable and all were let run on, the new one
 * exceeds the limit with probability of about max(α, 1 / (n + 1)), over all looks at once (jackknife form of conformal
 * prediction: Vovk, Gammerman and Shafer 2005, Prop. 2.3; the exact form would need a fit for each guess of the new
 * run's end). Because n is small at first, a run must also exceed Student's t with α shared over the looks
 * (Bonferroni). Outliers of a run at a look do not count. Null if there are too few runs, or if they are all alike.
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
      const residual = isSane(run) ? excess(at, run.means[g] ?? 0, run.final) : null;
      const entry = largest[j];
      if (residual && entry) entry.score = Math.max(entry.score, studentizeExternally(residual, at.n));
    }
  }
  const total = largest.reduce((sum, { weight }) => sum + weight, 0);
  const observed = weightedQuantile(largest, Math.min(total, (1 - config.errorTarget) * (total + 1)));
  const limit = Math.max(upperQuantile(config.errorTarget / looks.length, fewest - 3), observed);
  return Number.isFinite(limit) ? limit : null;
}

/** A run's excess over the regression of the others (externally studentised; Cook and Weisberg 1982, §2.2.1). */
export function studentizeExternally({ z, leverage }: Excess, n: number): number {
  const studentised = z * Math.sqrt((1 + leverage) / Math.max(1e-9, 1 - leverage));
  const free = n - 2 - studentised * studentised;
  return free > 0 ? studentised * Math.sqrt((n - 3) / free) : Math.sign(studentised) * Infinity;
}
