import { ABORT_RULES } from '../../domain/abort/names.ts';
import { openRule, type RunningRule } from '../../domain/abort/rules.ts';
import { DEFAULT_ABORT } from '../../domain/abort/types.ts';
import { printTable, type Cell } from '../support/table.ts';
import { family } from './families.ts';

const RUNS = 1000;
const POINTS = 10_000;
const REPEATS = 60;
/** By how much runs lie above the best of them: a rule looks closely only at some. */
const LEVELS = Array.from({ length: 16 }, (_, i) => i * 0.03);
/** The weaker the incumbent, the more runs are as good as it. */
const INCUMBENTS = [
  { name: 'among the best', value: 3.26 },
  { name: 'median', value: 3.3 },
  { name: 'worse than all', value: 3.4 },
] as const;

/** Cost of one decision in milliseconds, median and 95th percentile, for the level of the run at which it is dearest. */
export function costs(): void {
  const rows = ABORT_RULES.flatMap((name): Cell[][] => {
    const rule = taught(name);
    return INCUMBENTS.map((incumbent) => {
      const dearest = LEVELS.map((level) => timesOf(rule, { level, incumbent: incumbent.value })).reduce((most, one) =>
        one.median > most.median ? one : most,
      );
      return [name, incumbent.name, dearest.median.toFixed(3), dearest.high.toFixed(3)];
    });
  });
  const title = `Cost of a decision at ${POINTS} points and ${RUNS} finished runs, ms`;
  printTable(title, ['rule', 'incumbent', 'median', '95 %'], rows);
}

function taught(name: (typeof ABORT_RULES)[number]): RunningRule {
  const known = family('heavy noise', RUNS, 5);
  return known.reduce((rule, curve) => rule.learn(curve), openRule(name, { ...DEFAULT_ABORT, direction: 'minimize' }));
}

/** A run at half of its budget. */
function timesOf(rule: RunningRule, run: { level: number; incumbent: number }): { median: number; high: number } {
  const value = (i: number): number => 4 + run.level - i / (2 * POINTS);
  const points = Array.from({ length: POINTS }, (_, i) => ({ step: i, elapsed: i, value: value(i) }));
  const times = Array.from({ length: REPEATS }, () => {
    const begun = performance.now();
    rule.decide({ points, budget: { kind: 'steps', total: 2 * POINTS }, incumbent: run.incumbent });
    return performance.now() - begun;
  }).sort((a, b) => a - b);
  return { median: times[REPEATS / 2] ?? 0, high: times[Math.floor(0.95 * REPEATS)] ?? 0 };
}
