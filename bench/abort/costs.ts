import { ABORT_RULES } from '../../domain/abort/table.ts';
import { openRule, type RunningRule } from '../../domain/abort/rules.ts';
import { DEFAULT_ABORT } from '../../domain/abort/types.ts';
import { printTable, type Cell } from '../support/table.ts';
import { family } from './families.ts';
import { progress } from './progress.ts';

const RUNS = 1000;
const POINTS = 10_000;
const REPEATS = 300;
/** A rung of `asha`, the middle, and where most of the curve is seen. */
const SHARES = [1 / 3, 0.5, 0.9];
/** By how much runs lie above the best of them: a rule looks closely only at some. */
const LEVELS = Array.from({ length: 16 }, (_, i) => i * 0.03);
/** What the best of the runs that are known end at. */
const BEST = 3.24;
/** The weaker the incumbent, the more runs are as good as it. */
const INCUMBENTS = [
  { name: 'among the best', value: 3.26 },
  { name: 'median', value: 3.3 },
  { name: 'worse than all', value: 3.4 },
] as const;

/** A run under way: where it is, by how much it lies above the best, and what it has to beat. */
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
 * Cost of one decision in milliseconds for the share and the level of the run at which it is dearest by the least of many: that
 * is what it takes where nothing else wants the core. Beside it the median and the 95th percentile, of decisions made after that.
 */
export function costs(): void {
  const rows = ABORT_RULES.flatMap((name): Cell[][] => {
    const rule = trainRule(name, RUNS);
    progress(`cost of a decision: ${name}`);
    return INCUMBENTS.map((incumbent) => {
      const asked = SHARES.flatMap((share) => LEVELS.map((level) => ({ share, level, incumbent: incumbent.value })));
      const { run } = asked
        .map((one) => ({ run: one, least: timesOf(rule, one).least }))
        .reduce((most, one) => (one.least > most.least ? one : most));
      // Anew: what was picked for being slow was slow by chance, too.
      const [share, times] = [run.share, timesOf(rule, run)];
      const shown = [times.least, times.median, times.high].map((ms) => ms.toFixed(3));
      return [name, incumbent.name, `${Math.round(100 * share)} %`, ...shown];
    });
  });
  const title = `Cost of a decision at ${POINTS} points and ${RUNS} finished runs, ms`;
  printTable(title, ['rule', 'incumbent', 'at', 'least', 'median', '95 %'], rows);
}

/** A rule that has learned so many runs. They have names: `asha` learns no others. */
export function trainRule(name: (typeof ABORT_RULES)[number], runs: number): RunningRule {
  const known = family('heavy noise', runs, 5);
  return known.reduce(
    (rule, curve, i) => rule.learn({ ...curve, run: String(i) }),
    openRule(name, { ...DEFAULT_ABORT, direction: 'minimize' }),
  );
}

function timesOf(rule: RunningRule, { share, level, incumbent }: Asked): Times {
  // Where those that are known are at this share, and half more at the beginning.
  const here = BEST + level + 0.8 * (share ** -0.4 - 1);
  const points = Array.from({ length: POINTS }, (_, i) => {
    const step = i + 1;
    return { step, elapsed: step, value: here + (1 - step / POINTS) / 2 };
  });
  const budget = { kind: 'steps', total: POINTS / share } as const;
  const times = Array.from({ length: REPEATS }, () => {
    const begun = performance.now();
    rule.decide({ points, budget, incumbent, run: 'new', before: share - DEFAULT_ABORT.cadence });
    return performance.now() - begun;
  }).sort((a, b) => a - b);
  const at = (quantile: number): number => times[Math.floor(quantile * REPEATS)] ?? 0;
  return { least: at(0), median: at(0.5), high: at(0.95) };
}
