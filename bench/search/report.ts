import { mean } from 'simple-statistics';
import { svgOf } from '../learn/plot.ts';
import { markdownTable } from '../learn/markdown.ts';
import { ARMS } from './arms.ts';
import { type ArmResult, lastOf, type ProblemResult, verdictsOf } from './goals.ts';
import { GOALS, LISTED } from './settings.ts';
import { interquartileMean, type Interval, intervalOf } from './statistics.ts';

/** Three significant digits, with a typographic minus and without a zero before the point. */
export function number(value: number): string {
  const text = Math.abs(value) < 1e-4 ? '0' : String(Number(value.toPrecision(3)));
  return text.replace(/^(-?)0\./, '$1.').replace('-', '−');
}

const formatInterval = ({ value, low, high }: Interval): string => `${number(value)} [${number(low)}, ${number(high)}]`;

/** Interquartile mean of the best after all trials, with its interval; a row for each arm. */
export function bestTable(results: readonly ProblemResult[]): string[] {
  const head = ['', ...results.map(({ problem }) => problem.name)];
  return markdownTable(
    head,
    rowsOf(results, (arm) => (arm === undefined ? '–' : formatInterval(intervalOf(lastOf(arm))))),
  );
}

/** Interquartile mean of the best after some numbers of trials. */
export function progressTable(results: readonly ProblemResult[]): string[] {
  const head = ['', ...results.map(({ problem }) => problem.name)];
  return markdownTable(
    head,
    rowsOf(results, (arm) => {
      if (arm === undefined) return '–';
      const most = arm.paths[0]?.length ?? 0;
      const at = LISTED.filter((n) => n < most);
      return [...at, most]
        .map((n) => number(interquartileMean(arm.paths.map((path) => path[n - 1] ?? NaN))))
        .join(', ');
    }),
  );
}

/** Mean CPU milliseconds of a proposal, and how many times cheaper `tpe` is than Optuna's TPE. */
export function costTable(results: readonly ProblemResult[]): string[] {
  const head = ['', ...results.map(({ problem }) => problem.name)];
  const costOf = ({ arms }: ProblemResult, name: string): number =>
    mean([...(arms.find((arm) => arm.name === name)?.cpuMs ?? [NaN])]);
  const times = results.map((result) => number(costOf(result, 'Optuna TPE') / costOf(result, 'tpe')));
  return markdownTable(head, [
    ...rowsOf(results, (arm) => (arm === undefined ? '–' : number(mean([...arm.cpuMs])))),
    [`Optuna TPE ÷ tpe (goal: ${1 / GOALS.cpuShare})`, ...times],
  ]);
}

const rowsOf = (results: readonly ProblemResult[], cell: (arm: ArmResult | undefined) => string): string[][] =>
  ARMS.map(({ name }) => [name, ...results.map(({ arms }) => cell(arms.find((arm) => arm.name === name)))]);

/** Every goal on every problem. */
export const goalTable = (results: readonly ProblemResult[]): string[] =>
  markdownTable(
    ['problem', 'goal', 'figure [95 %]', 'met'],
    results.flatMap((result) =>
      verdictsOf(result).map(({ problem, goal, figure, isMet }) => [
        problem,
        goal,
        formatInterval(figure),
        isMet ? 'yes' : '**no**',
      ]),
    ),
  );

/** Best so far over the trials of one problem: interquartile means of all arms, on a logarithmic axis. */
export function figureOf({ problem, arms }: ProblemResult): string {
  const trials = arms[0]?.paths[0]?.length ?? 1;
  const lines = arms.map((arm) => ({
    name: arm.name,
    colour: ARMS.find(({ name }) => name === arm.name)?.colour ?? 'black',
    values: Array.from({ length: trials }, (_, n) => interquartileMean(arm.paths.map((path) => path[n] ?? NaN))),
  }));
  const shares = Array.from({ length: trials }, (_, n) => n / Math.max(1, trials - 1));
  const values = lines.flatMap((line) => line.values).filter((value) => value > 0);
  return svgOf({
    title: `${problem.name}: true value of the best observed (${arms[0]?.paths.length} repeats)`,
    shares,
    scale: 'log',
    ticks: ticksBetween(Math.min(...values), Math.max(...values)),
    axis: {
      words: 'trial',
      marks: [1, trials / 4, trials / 2, trials].map((n) => ({
        at: (n - 1) / Math.max(1, trials - 1),
        words: String(n),
      })),
    },
    namesAt: 60,
    lines,
  });
}

/** Ticks at 1, 2 and 5 times the powers of ten around the values, the highest first. */
function ticksBetween(low: number, high: number): { at: number; words: string }[] {
  const powers = Array.from({ length: 9 }, (_, i) => 10 ** (i - 5));
  const all = powers.flatMap((power) => [power, 2 * power, 5 * power]);
  const first = all.findLastIndex((tick) => tick <= low);
  const last = all.findIndex((tick) => tick >= high);
  return all
    .slice(Math.max(0, first), last < 0 ? undefined : last + 1)
    .map((at) => ({ at, words: number(at) }))
    .reverse();
}
