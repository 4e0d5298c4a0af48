/**
 * Compares proposers on five functions of knobs, without Temporal and Postgres: the product's `draw` with observations
 * as the product gives them, and Optuna's samplers.
 *   npx tsx bench/search.ts [--only PROBLEM]... [--repeats N] [--in-flight 0|1] [--write]
 * Prints the tables of docs/experiments/0042-…; --write also writes docs/figures/search-PROBLEM.svg. Results of Optuna
 * are kept in .perpetua/bench-search, by settings and version, since they cost nine tenths of the CPU time.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../config/paths.ts';
import { ARMS } from './search/arms.ts';
import type { ProblemResult } from './search/goals.ts';
import { optunaPython } from './search/optuna/environment.ts';
import { startStudies } from './search/optuna/study.ts';
import { PROBLEMS } from './search/problems.ts';
import { bestTable, costTable, figureOf, goalTable, progressTable } from './search/report.ts';
import { runArm } from './search/run-arm.ts';
import { IN_FLIGHT, SIZES } from './search/settings.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    repeats: { type: 'string' },
    'in-flight': { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const kept = join(packageRoot(), '.perpetua', 'bench-search');
const inFlight = Number(values['in-flight'] ?? IN_FLIGHT);
mkdirSync(kept, { recursive: true });
const studies = startStudies(await optunaPython(kept));
const results: ProblemResult[] = [];
try {
  for (const problem of PROBLEMS) {
    if (values.only && !values.only.includes(problem.name)) continue;
    const { repeats, trials } = SIZES[problem.name as keyof typeof SIZES];
    const size = { repeats: Number(values.repeats ?? repeats), trials, inFlight };
    const hasChoice = problem.knobs.some(({ type }) => type === 'choice');
    const arms = [];
    for (const arm of ARMS.filter(({ numbersOnly }) => !(numbersOnly === true && hasChoice))) {
      arms.push(await runArm(arm, { problem, ...size }, { studies, kept }));
      process.stderr.write(`${problem.name}: ${arm.name}\n`);
    }
    results.push({ problem, arms });
  }
} finally {
  studies.close();
}
const tables: [string, (all: readonly ProblemResult[]) => string[]][] = [
  ['True value of the best observed after all trials', bestTable],
  ['After 25, 50, … trials', progressTable],
  ['CPU milliseconds of a proposal', costTable],
  ['Goals', goalTable],
];
for (const [title, table] of tables) process.stdout.write(`\n${title}\n\n${table(results).join('\n')}\n`);
if (values.write)
  for (const result of results)
    writeFileSync(join(packageRoot(), `docs/figures/search-${result.problem.name}.svg`), figureOf(result));
