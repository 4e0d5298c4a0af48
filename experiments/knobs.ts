/**
 * The random proposer against even draws with as many runs, from a bad, a middle and a good start.
 *   npx tsx experiments/knobs.ts [repeats] [runs]      (20 repeats of 60 runs: some minutes)
 */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mean, sampleStandardDeviation } from 'simple-statistics';
import { createRandom } from '../domain/statistics/random.ts';
import { printTable, type Cell } from '../bench/support/table.ts';
import { type Arm, ARMS, uniformValues } from './knobs/arms.ts';
import { fitProblem } from './knobs/fit.ts';
import { FUNCTIONS } from './knobs/functions.ts';
import type { Problem } from './knobs/problem.ts';

/** Starts by their place among even draws, 1 the worst. */
const STARTS = { bad: 0.95, middle: 0.5, good: 0.05 } as const;
const POOL = 400;
/** Seeds beyond those of a search, by which its best is measured. */
const FRESH = [1, 2, 3, 4, 5].map((i) => 1_000_000 + i);

const trueValue = ({ valueOf }: Problem, text: string): number => mean(FRESH.map((seed) => valueOf(text, seed)));

/** Even draws, the best first. */
function poolOf(problem: Problem): string[] {
  const random = createRandom(1);
  const texts = Array.from({ length: POOL }, () => problem.textOf(uniformValues(problem.knobs, random)));
  const values = new Map(texts.map((text) => [text, problem.valueOf(text, 1)]));
  return texts.toSorted((a, b) => (values.get(a) ?? 0) - (values.get(b) ?? 0));
}

/** The value of the best after so many runs, on fresh seeds. What a run gives decides; the best so far is where the next begins. */
function search(problem: Problem, arm: Arm, from: { start: string; runs: number; seed: number }): number {
  let best = { text: from.start, value: problem.valueOf(from.start, from.seed) };
  for (let n = 1; n <= from.runs; n += 1) {
    const text = arm(problem, { best: best.text, seed: from.seed * 10_000 + n });
    const value = problem.valueOf(text, from.seed * 10_000 + n);
    if (value < best.value) best = { text, value };
  }
  return trueValue(problem, best.text);
}

function rowsOf(problem: Problem, { repeats, runs }: { repeats: number; runs: number }): Cell[][] {
  const pool = poolOf(problem);
  return Object.entries(STARTS).map(([name, place]) => {
    const starts = Array.from(
      { length: repeats },
      (_, i) => pool[Math.floor(POOL * (place + 0.04 * (i / repeats - 0.5)))] ?? '',
    );
    const cells = Object.values(ARMS).map((arm) =>
      withInterval(starts.map((start, i) => search(problem, arm, { start, runs, seed: i + 1 }))),
    );
    const row = [problem.name, name, short(mean(starts.map((start) => trueValue(problem, start)))), ...cells];
    process.stderr.write(`${row.join(' | ')}\n`);
    return row;
  });
}

const short = (value: number): string => String(Number(value.toPrecision(3)));
/** Mean with the half width of its 95 % interval. */
const withInterval = (values: number[]): string =>
  `${short(mean(values))} ± ${String(Number(((1.96 * sampleStandardDeviation(values)) / Math.sqrt(values.length)).toPrecision(2)))}`;

/** Prints the table. Seeds are counted from fixed numbers, so it can be repeated to the digit. */
export async function main(repeats: number, runs: number): Promise<void> {
  const problems = [...FUNCTIONS, await fitProblem()];
  const rows = problems.flatMap((problem) => rowsOf(problem, { repeats, runs }));
  printTable(
    `Best after ${runs} runs, lower is better: mean of ${repeats} repeats and its 95 % interval`,
    ['problem', 'start', 'its value', ...Object.keys(ARMS)],
    rows,
  );
}

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url))
  await main(Number(process.argv[2] ?? 20), Number(process.argv[3] ?? 60));
