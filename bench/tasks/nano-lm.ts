/**
 * Measures the noise of nano-lm, the effect of its knobs, and the gain of sixty trials. Processes run one at a time.
 *   npx tsx bench/tasks/nano-lm.ts noise [runs] · knobs [runs a value] · search [researches] [trials]
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mean, sampleStandardDeviation } from 'simple-statistics';
import { parse } from 'yaml';
import { type Knob } from '../../domain/knob/knob.ts';
import { Task } from '../../domain/task/task.ts';
import { type Cell, printTable } from '../support/table.ts';
import { scores, search } from './nano-lm/search.ts';
import { type Files, mutableFiles, TASK, trial } from './nano-lm/trial.ts';

const task = Task.parse(parse(await readFile(join(TASK, 'task.yaml'), 'utf8')));
let seed = Math.floor(Math.random() * 1e6);
const print = (line: string) => process.stdout.write(`${line}\n`);
const sd = (values: number[]) => (values.length > 1 ? sampleStandardDeviation(values) : Number.NaN);

/** Prints mean and sd of baseline runs, with their seconds. */
async function noise(runs: number) {
  const rows = [];
  for (let i = 0; i < runs; i++) {
    const { score, trainSeconds, evaluateSeconds } = await trial({}, seed++);
    if (!score) throw new Error('the unmodified version failed');
    rows.push({ ...score, trainSeconds, evaluateSeconds });
  }
  const table: Cell[][] = [];
  for (const key of ['bpc', 'excess', 'seen', 'trainSeconds', 'evaluateSeconds'] as const) {
    const values = rows.map((row) => row[key]);
    table.push([key, mean(values), sd(values), Math.min(...values), Math.max(...values)]);
  }
  printTable(`${runs} runs`, ['value', 'mean', 'sd', 'min', 'max'], table);
}

const literal = (value: string | number | boolean) => (typeof value === 'string' ? `'${value}'` : String(value));

/** The value at `share` (0 … 1) of a knob's range, as source text. */
function valueAt(knob: Knob, share: number): string {
  if (knob.type === 'choice') {
    const at = Math.min(knob.values.length - 1, Math.floor(share * knob.values.length));
    return literal(knob.values[at] ?? '');
  }
  const [low, high] = knob.range;
  const value = knob.scale === 'log' ? low * (high / low) ** share : low + (high - low) * share;
  return knob.type === 'int' ? String(Math.round(value)) : value.toPrecision(4);
}

/** The files with one knob set. */
function withKnob(files: Files, knob: Knob, value: string): Files {
  const line = new RegExp(`^const ${knob.name} = .*;$`, 'm');
  return { ...files, [knob.file]: (files[knob.file] ?? '').replace(line, `const ${knob.name} = ${value};`) };
}

/** Prints the gain of each knob at four points of its range over the baseline, in sd of one run. */
async function knobs(runs: number) {
  const files = await mutableFiles();
  const base = await scores({}, Math.max(10, runs), seed);
  print(`baseline ${mean(base).toFixed(4)} ± ${sd(base).toFixed(4)} (n ${base.length})`);
  const table: Cell[][] = [];
  for (const knob of task.knobs) {
    const shares = knob.type === 'choice' ? knob.values.map((_, i, all) => i / all.length) : [0.1, 0.35, 0.65, 0.9];
    for (const share of shares) {
      const value = valueAt(knob, share);
      const got = mean(await scores(withKnob(files, knob, value), runs, (seed += 100)));
      const gain = (mean(base) - got) / sd(base);
      print(`${knob.name} ${value} ${got.toFixed(4)} ${gain.toFixed(1)}`);
      table.push([knob.name, value, got, gain]);
    }
  }
  printTable('Knobs', ['knob', 'value', 'bpc', 'gain in sd'], table);
}

const [mode = 'noise', first, second] = process.argv.slice(2);
if (mode === 'noise') await noise(Number(first ?? 10));
else if (mode === 'knobs') await knobs(Number(first ?? 1));
else if (mode === 'search') {
  const table: Cell[][] = [];
  for (let i = 1; i <= Number(first ?? 1); i++) {
    const result = await search(task, { trials: Number(second ?? 60), seed: (seed += 10_000), onKeep: print });
    const gain = (result.baseline - result.best) / result.sd;
    table.push([i, result.baseline, result.sd, result.keeps, result.best, gain]);
  }
  printTable('Researches', ['research', 'baseline', 'sd', 'keeps', 'best', 'gain in sd'], table);
} else throw new Error(`expected noise, knobs or search, got ${mode}`);
