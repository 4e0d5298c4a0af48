import { FEWEST, residualLimit } from '../../domain/abort/rules/matched-time/against-all.ts';
import { lookGrid } from '../../domain/abort/rules/matched-time/look.ts';
import { weightedQuantile } from '../../domain/abort/rules/matched-time/weighted-quantile.ts';
import { excess, regressionAt } from '../../domain/abort/rules/matched-time/regression.ts';
import { isPlausibleAt, type MatchedState } from '../../domain/abort/rules/matched-time/state.ts';
import { matchedTime } from '../../domain/abort/rules/matched-time.ts';
import { replay } from '../../domain/abort/replay/replay.ts';
import { INCUMBENTS } from '../../domain/abort/replay/types.ts';
import { upperQuantile } from '../../domain/statistics/student-t.ts';
import { DEFAULT_ABORT } from '../../domain/abort/types.ts';
import { printTable, type Cell } from '../support/table.ts';
import { RUNS, summary, SUMMARY_HEAD } from './compare-on-families.ts';
import { family, type Family } from './families.ts';
import { AUDITS } from './equal-error/compared-rules.ts';

/** Limits of the first test of `matched-time`: Student's t divided over the looks, the residuals seen, or both. */
export const FIRST_TESTS = ['t', 'conformal', 'both'] as const;
export type FirstTest = (typeof FIRST_TESTS)[number];

const COMPARED: readonly Family[] = ['power law', 'heavy noise', 'AR(1) .99'];

/** Prints the rule with each form of its first test and its usual second test, on that many new researches. */
export function compareFirstTests(researches: number): void {
  const rows = COMPARED.flatMap((name) => {
    const all = Array.from({ length: researches }, (_, i) => family(name, RUNS, i + 1));
    return INCUMBENTS.flatMap((incumbent) =>
      AUDITS.flatMap((audit) =>
        FIRST_TESTS.map((test): Cell[] => {
          const plan = { ...DEFAULT_ABORT, rule: 'matched-time', direction: 'minimize', audit: audit.plan } as const;
          const each = withFirstTest(test, () =>
            all.map((curves, i) => replay(curves, { ...plan, incumbent, slots: 1, repeats: 1, seed: i + 1 })),
          );
          return [name, incumbent, audit.name, test, ...summary(each)];
        }),
      ),
    );
  });
  printTable(
    `First test of matched-time, ${researches} researches of ${RUNS} new runs`,
    ['family', 'incumbent', 'audit', 'first test', ...SUMMARY_HEAD],
    rows,
  );
}

/** Does the work while `matched-time` has another first test. The rule has no setting for it, so it is patched. */
export function withFirstTest<T>(test: FirstTest, work: () => T): T {
  const original = { ...matchedTime };
  matchedTime.learn = (state, curve) => {
    const next = original.learn(state, curve);
    return next.known === state.known ? next : { ...next, limit: firstTestLimit(test, next) };
  };
  try {
    return work();
  } finally {
    Object.assign(matchedTime, original);
  }
}

/** Limit that the excess of a run over the regression must exceed; null while there are too few runs. */
export function firstTestLimit(test: FirstTest, state: MatchedState): number | null {
  if (test === 'both' || state.known.length < FEWEST) return residualLimit(state);
  if (test === 'conformal') return largestSeen(state);
  const looks = lookGrid(state.config);
  const fewest = Math.min(...looks.map((g) => regressionAt(state, g).n));
  return upperQuantile(state.config.errorTarget / looks.length, fewest - 3);
}

/** The conformal half of `residualLimit`: a quantile of the largest residual of each run, judged by the others. */
function largestSeen(state: MatchedState): number | null {
  const { known, config } = state;
  const regressions = lookGrid(config).map((g) => ({ g, at: regressionAt(state, g), isSane: isPlausibleAt(state, g) }));
  const scored = known.map((run) => {
    const { means, final, weight } = run;
    const scores = regressions.map(({ g, at, isSane }) => {
      const residual = isSane(run) ? excess(at, means[g] ?? 0, final) : null;
      if (residual === null) return -Infinity;
      // The residual is externally studentised: Cook and Weisberg 1982, §2.2.1.
      const r = residual.z * Math.sqrt((1 + residual.leverage) / Math.max(1e-9, 1 - residual.leverage));
      const free = at.n - 2 - r * r;
      return free > 0 ? r * Math.sqrt((at.n - 3) / free) : Math.sign(r) * Infinity;
    });
    return { score: Math.max(...scores), weight };
  });
  const weight = known.reduce((sum, one) => sum + one.weight, 0);
  const limit = weightedQuantile(scored, Math.min(weight, (1 - config.errorTarget) * (weight + 1)));
  return Number.isFinite(limit) ? limit : null;
}
