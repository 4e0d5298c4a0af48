/**
 * Measures the tasks that come with Perpetua, on a Temporal server, a Postgres and a worker of its own: the unmodified
 * workspace, what a search without a model claims, and the task's exploits.
 *   node dist/bench/tasks.js [--only TASK]... [--trials 40] [--repeats 3] [--slots 2] [--write]
 * --write stores the figures in tasks/catalog.json.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../config/paths.ts';
import { CATALOG_FILE, readCatalog } from '../tasks/catalog.ts';
import { type MeasuredTask, measureTask } from './catalog/measure-task.ts';
import { startTestStack } from './support/stack.ts';
import { type Cell, printTable } from './support/table.ts';

const HEAD = [
  'task',
  'baseline',
  'sd',
  'runs',
  'CPU s a run',
  'random',
  'tpe',
  'best run',
  'known best',
  'exploits held',
];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    trials: { type: 'string', default: '40' },
    repeats: { type: 'string', default: '3' },
    slots: { type: 'string', default: '2' },
    write: { type: 'boolean', default: false },
  },
});
const builtin = join(packageRoot(), 'tasks');
const catalog = await readCatalog(builtin);
const size = { trials: Number(values.trials), repeats: Number(values.repeats) };
const stack = await startTestStack();
const rows: Cell[][] = [];
try {
  await stack.startWorker({ slots: Number(values.slots) });
  for (const [name, entry] of Object.entries(catalog)) {
    if (values.only && !values.only.includes(name)) continue;
    const measured = await measureTask(stack, { name, ...size });
    rows.push(rowOf(name, measured, entry.known?.value ?? null));
    const { best: _best, held: _held, ...stored } = measured;
    catalog[name] = { ...entry, measured: stored };
    process.stderr.write(`${JSON.stringify({ name, ...measured })}\n`);
    if (values.write) writeFileSync(join(builtin, CATALOG_FILE), `${JSON.stringify(catalog, null, 2)}\n`);
  }
} finally {
  await stack.stop();
}
printTable(`${size.trials} trials, ${size.repeats} repeats; random and tpe: mean of the claims`, HEAD, rows);

function rowOf(name: string, measured: MeasuredTask, known: number | null): Cell[] {
  const { baseline, seconds, random, tpe, best, held, exploits } = measured;
  const { mean, sd, runs } = baseline;
  return [name, mean, sd, runs, seconds, random, tpe, best, known, `${held} of ${exploits}`];
}
