import { upperQuantile } from '../../statistics/student-t.ts';
import { short } from '../say.ts';
import { lookGrid, type Look, type Verdict } from './look.ts';
import { limitOf } from './quantile.ts';
import { excess, regressionAt, type Excess } from './regression.ts';
import type { MatchedState } from './state.ts';

/** Completed runs before any run is aborted. */
export const FEWEST = 10;

/** Further above what a run of the final `y` shows than any finished run was above what its own final shows. */
export function againstAll({ limit, known }: MatchedState, { at, x, y, strictness }: Look): Verdict {
  const own = excess(at, x, y)?.z ?? -Infinity;
  const most = (limit ?? Infinity) * strictness;
  const words = (target: string): string =>
    own <= 0
      ? `as good as ${target}`
      : `${short(own)} standard errors worse than ${target}; the limit from ${known.length} runs is ${short(most)}`;
  return { abort: own > most, words };
}

/**
 * Standard errors over the regression that a run must exceed at some look: the largest that any completed run showed over
 * its whole curve, each judged by the others. A conformal bound over all looks at once: if the residuals of n runs and of
 * a new one are exchangeable, it is exceeded with probability at most 1 / (n + 1) (Vovk, Gammerman and Shafer 2005, Prop.
 * 2.3). Where n is too small for the error target, Student's t with the target shared out over the looks (Bonferroni) has
 * to be exceeded, too. Null where there are too few runs.
 */
export function residualLimit(state: MatchedState): number | null {
  const { known, config } = state;
  if (known.length < FEWEST) return null;
  const looks = lookGrid(config);
  const largest = known.map(({ weight }) => ({ score: -Infinity, weight }));
  for (const g of looks) {
    const at = regressionAt(state, g);
    for (const [j, { means, final }] of known.entries()) {
      const own = excess(at, means[g] ?? 0, final);
      const one = largest[j];
      if (own && one) one.score = Math.max(one.score, withoutItself(own, at.n));
    }
  }
  const weight = largest.reduce((sum, one) => sum + one.weight, 0);
  const seen = limitOf(largest, Math.min(weight, (1 - config.errorTarget) * (weight + 1)));
  const limit = Math.max(upperQuantile(config.errorTarget / looks.length, known.length - 3), seen);
  return Number.isFinite(limit) ? limit : null;
}

/** A learned run's excess over the regression of the others (externally studentised; Cook and Weisberg 1982, §2.2.1). */
function withoutItself({ z, leverage }: Excess, n: number): number {
  const studentised = z * Math.sqrt((1 + leverage) / Math.max(1e-9, 1 - leverage));
  const free = n - 2 - studentised * studentised;
  return free > 0 ? studentised * Math.sqrt((n - 3) / free) : Math.sign(studentised) * Infinity;
}
