/**
 * Simulates researches with the gate of production: the height that it climbs, its errors and its costs.
 *   npx tsx bench/verdicts.ts [repeats]      (200 repeats: some minutes on one core)
 */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printTable, type Cell as Shown } from './support/table.ts';
import { DEFAULT_AUDIT } from '../domain/abort/audit/audit-plan.ts';
import { stopByShare, stopByNoisyForecast, type EarlyAbortModel } from './verdicts/early-abort-model.ts';
import { NOISES } from './verdicts/noise.ts';
import { FAILING_HEAD, failingRows } from './verdicts/failing-runs.ts';
import { EXACT_HEAD, exactRows, TIES_HEAD, tiedRows } from './verdicts/ties.ts';
import { SMALL_BUDGET_HEAD, smallBudgetRows } from './verdicts/small-budgets.ts';
import {
  falseKeeps,
  HILLS,
  LARGE_HILLS,
  measure,
  METHODS,
  OTHER_HILLS,
  power,
  type Measurement,
} from './verdicts/measure.ts';

const NOISY = ['confirmed-only', 'lead'] as const;
const GAINS = [0.5, 1, 1.5, 2, 3];
const fixed = (value: number, digits = 2): string => value.toFixed(digits);

const row = (cell: Measurement): Shown[] => [
  fixed(cell.incumbent),
  fixed(cell.error),
  fixed(cell.lead),
  fixed(cell.keeps),
  fixed(cell.falseKeeps, 3),
  fixed(cell.falsePer200, 3),
  fixed(cell.runsPerSearch),
  cell.covered === null ? null : fixed(cell.covered),
];
const HEAD = ['incumbent', '±', 'lead', 'keeps', 'false', 'false/200', 'runs/search', '95 % covers'];

/** Models of early abort, without and with the audit; a stopped run costs .4 of a run. */
const EARLIES: readonly [string, EarlyAbortModel | undefined][] = [
  ['none', undefined],
  ['70 % of the worse, 2 % of the better', { wish: stopByShare(0.7, 0.02), audit: { first: 0, share: 0 }, cost: 0.4 }],
  ['the clearly worse, audited', { wish: stopByNoisyForecast(0.5), audit: DEFAULT_AUDIT, cost: 0.4 }],
];

function printEarly(repeats: number): void {
  const rows = HILLS.flatMap(({ name, hill }) =>
    EARLIES.map(([early, how]) => {
      const scene = { hill, noise: 'normal' as const, seed: 1000, runs: 600, ...(how ? { early: how } : {}) };
      const cell = measure(scene, 'lead', repeats);
      const { searches, stopped, probed, leadMoves, believed } = cell;
      const counts = [fixed(searches, 0), fixed(stopped), fixed(probed, 3), fixed(leadMoves, 1), fixed(believed)];
      return [name, early, ...row(cell), ...counts];
    }),
  );
  const head = ['hill', 'stopped', ...HEAD, 'trials', 'stopped', 'probed', 'lead moves', 'believed gain'];
  printTable(`Early abort, lead, machine time of 600 runs: ${repeats} repeats`, head, rows);
}

/** Prints the claims of researches that end with their budget of trials, with and without a last race of the lead. */
function printShort(repeats: number): void {
  const rows = [60, 100].flatMap((searches) =>
    [...HILLS, ...LARGE_HILLS].flatMap(({ name, hill }) =>
      [false, true].map((lastRace) => {
        const scene = { hill, noise: 'normal' as const, seed: 1000, searches, window: 4, lastRace };
        return [searches, name, lastRace ? 'yes' : 'no', ...row(measure(scene, 'lead', repeats))];
      }),
    ),
  );
  printTable(`Budgets of trials, lead: ${repeats} repeats`, ['trials', 'hill', 'last race', ...HEAD], rows);
}

/** Prints all tables. Seeds count from fixed numbers, so each run prints the same figures. */
export function main(repeats: number): void {
  const begun = performance.now();
  const climbs =
    (window: number) =>
    ({ name, hill }: (typeof HILLS)[number]) =>
      METHODS.map((method) => [
        name,
        method,
        ...row(measure({ hill, noise: 'normal', seed: 1000, runs: 600, window }, method, repeats)),
      ]);
  const title = `true value after 600 runs, in sd of one run; ${repeats} repeats`;
  printTable(`Hills, one run at a time: ${title}`, ['hill', 'method', ...HEAD], HILLS.flatMap(climbs(1)));
  printTable(`Hills, 8 runs at a time: ${title}`, ['hill', 'method', ...HEAD], HILLS.flatMap(climbs(8)));
  printTable(`Other hills, one run at a time: ${title}`, ['hill', 'method', ...HEAD], OTHER_HILLS.flatMap(climbs(1)));
  printEarly(repeats);
  printShort(repeats);
  const many = repeats * 5;
  printTable(
    `A/A, 200 search trials, ${many} repeats`,
    ['noise', 'method', 'false/200', '±', 'P(any)', 'runs/trial'],
    NOISES.flatMap((noise) =>
      NOISY.map((method) => {
        const cell = falseKeeps(noise, method, many);
        const error = Math.sqrt(Math.max(cell.falseKeeps, 1 / many) / many);
        return [
          noise,
          method,
          fixed(cell.falsePer200, 4),
          fixed(error, 4),
          fixed(cell.anyFalse, 4),
          fixed(cell.runsPerSearch),
        ];
      }),
    ),
  );
  printTable(`Ties, lead: ${many} researches a row`, TIES_HEAD, tiedRows(many));
  printTable(`Claims without noise, 60 trials: ${repeats} researches a row`, EXACT_HEAD, exactRows(repeats));
  printTable(`Failing runs, lead: ${many} researches a row`, FAILING_HEAD, failingRows(many));
  printTable(`Small budgets, lead: ${many} researches a row`, SMALL_BUDGET_HEAD, smallBudgetRows(many));
  printTable(
    `Power: one better candidate among 60 equal ones is claimed, ${many} repeats`,
    ['method', ...GAINS.map((gain) => `${gain} sd`)],
    NOISY.map((method) => [method, ...GAINS.map((gain) => fixed(power(gain, method, many)))]),
  );
  process.stdout.write(`\n${((performance.now() - begun) / 1000).toFixed(0)} s\n`);
}

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url))
  main(Math.max(1, Number(process.argv[2] ?? 40)));
