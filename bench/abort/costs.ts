import { ABORT_RULES } from '../../domain/abort/table.ts';
import { openRule, type RunningRule } from '../../domain/abort/rules.ts';
import { DEFAULT_ABORT } from '../../domain/abort/types.ts';
import { printTable, type Cell } from '../support/table.ts';
import { family } from './families.ts';
import { progress } from './progress.ts';

const RUNS = 1000;
const POINTS = 10_000;
const REPEATS = 300;
/** Shares of the budget: a rung of `asha`, the middle, and nearly the end. */
const SHARES = [1 / 3, 0.5, 0.9];
/** Distances of runs above the best one; a rule computes in full only at some of them. */
const LEVELS = Array.from({ length: 16 }, (_, i) => i * 0.03);
/** Final of the best known run. */
const BEST = 3.24;
/** Incumbents to beat: the weaker the incumbent, the more known runs are as good. */
const INCUMBENTS = [
  { name: 'among the best', value: 3.26 },
  { name: 'median', value: 3.3 },
  { name: 'worse than all', value: 3.4 },
] as const;

/** A run under way: its share of the budget, its distance above the best run, and the value to beat. */
interface Asked {
  share: number;
  level: number;
  incumbent: number;
}

interface Times {
  least: number;
  median: number;
  high: number;
}

/**
 * Prints the cost of one decision in milliseconds, at the share and level with the largest least time of many.
 * The least time is the cost on an otherwise idle core. The median and the 95th percentile stand beside it.
 */
export function costs(): void {
  const rows = ABORT_RULES.flatMap((name): Cell[][] => {
    const rule = trainRule(name, RUNS);
    progress(`cost of a decision: ${name}`);
    return INCUMBENTS.map((incumbent) => {
      const asked = SHARES.flatMap((share) => LEVELS.map((level) => ({ share, level, incumbent: incumbent.value })));
      const { run } = asked
        .map((candidate) => ({ run: candidate, least: timesOf(rule, candidate).least }))
        .reduce((most, timed) => (timed.least > most.least ? timed : most));
      // The chosen run was slow partly by chance, so its times are measured again.
      const [share, times] = [run.share, timesOf(rule, run)];
      const shown = [times.least, times.median, times.high].map((ms) => ms.toFixed(3));
      return [name, incumbent.name, `${Math.round(100 * share)} %`, ...shown];
    });
  });
  const title = `Cost of a decision at ${POINTS} points and ${RUNS} finished runs, ms`;
  printTable(title, ['rule', 'incumbent', 'at', 'least', 'median', '95 %'], rows);
}

/** Trains a rule on that many runs. The runs have ids, since `asha` learns only from runs with one. */
export function trainRule(name: (typeof ABORT_RULES)[number], runs: number): RunningRule {
  const known = family('heavy noise', runs, 5);
  return known.reduce(
    (rule, curve, i) => rule.learn({ ...curve, run: String(i) }),
    openRule(name, { ...DEFAULT_ABORT, direction: 'minimize' }),
  );
}

function timesOf(rule: RunningRule, { share, level, incumbent }: Asked): Times {
  // The last point has the value of the known runs at this share, plus the level. The first lies 0.5 higher.
  const here = BEST + level + 0.8 * (share ** -0.4 - 1);
  const points = Array.from({ length: POINTS }, (_, i) => {
    const step = i + 1;
    return { step, elapsed: step, value: here + (1 - step / POINTS) / 2 };
  });
  const budget = { kind: 'steps', total: POINTS / share } as const;
  const times = Array.from({ length: REPEATS }, () => {
    const begun = performance.now();
    rule.decide({ points, budget, incumbent, run: 'new', lastLookShare: share - DEFAULT_ABORT.cadence });
    return performance.now() - begun;
  }).sort((a, b) => a - b);
  const at = (quantile: number): number => times[Math.floor(quantile * REPEATS)] ?? 0;
  return { least: at(0), median: at(0.5), high: at(0.95) };
}
