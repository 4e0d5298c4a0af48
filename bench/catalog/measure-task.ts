import { join } from 'node:path';
import { mean, sampleStandardDeviation } from 'simple-statistics';
import { runCli } from '../../cli/run-cli.ts';
import { packageRoot } from '../../config/paths.ts';
import type { CatalogMeasurement } from '../../tasks/catalog.ts';
import { readExploits } from '../../tasks/folder/read-exploits.ts';
import { loadTask } from '../../tasks/load.ts';
import type { TestStack } from '../support/stack.ts';

/** Figures of a task, in the unit of its metric. */
export interface MeasuredTask extends CatalogMeasurement {
  /** Value of the best single run of all searches. */
  best: number;
  /** Number of exploits that held. */
  held: number;
}

interface Size {
  name: string;
  /** Trials of a search. */
  trials: number;
  /** Searches with each proposer. */
  repeats: number;
}

const PROPOSERS = ['random', 'tpe'] as const;
/** Longest time of one search. */
const SEARCH_SECONDS = 3 * 3600;

/** Measures a task that comes with Perpetua. Throws if a research ends without a best. */
export async function measureTask(stack: TestStack, { name, trials, repeats }: Size): Promise<MeasuredTask> {
  const claims: Record<(typeof PROPOSERS)[number], number[]> = { random: [], tpe: [] };
  for (const proposer of PROPOSERS)
    for (let repeat = 1; repeat <= repeats; repeat += 1) {
      const id = `${name}-${proposer}-${repeat}`;
      await stack.startResearch(id, { task: name, proposer, seed: id, budget: { trials, whenSpent: 'stop' } });
      await stack.until(
        `${id} to end`,
        `select phase in ('stopped', 'failed') as done, phase, reason from researches where id = $1`,
        [id],
        SEARCH_SECONDS,
      );
      claims[proposer].push(await readBestValue(stack, id));
      process.stderr.write(`${id}: ${claims[proposer].at(-1)}\n`);
    }
  const { task, mutablePaths } = await loadTask(join(packageRoot(), 'tasks', name));
  const runs = await stack.query<{ value: number; seconds: number }>(
    `select value, (runs."end"->>'cpuSeconds')::float8 as seconds
     from trials join runs on runs.trial_id = trials.id
     where kind = 'baseline' and status = 'completed' and research_id like $1 || '-%' and runs."end" is not null`,
    [name],
  );
  const order = task.metric.direction === 'maximize' ? 'max' : 'min';
  const [single] = await stack.query<{ best: number }>(
    `select ${order}(value) as best from trials
     where status = 'completed' and kind = 'search' and research_id like $1 || '-%'
       and value not in ('NaN', 'Infinity', '-Infinity')`,
    [name],
  );
  const { exploits } = await readExploits(join(packageRoot(), 'tasks', name), mutablePaths);
  const values = runs.map(({ value }) => value);
  return {
    seconds: mean(runs.map(({ seconds }) => seconds)),
    baseline: { mean: mean(values), sd: sampleStandardDeviation(values), runs: values.length },
    random: mean(claims.random),
    tpe: mean(claims.tpe),
    search: { trials, repeats },
    exploits: exploits.length,
    best: single?.best ?? Number.NaN,
    held: exploits.length === 0 ? 0 : await countHeld(stack, name),
  };
}

async function readBestValue(stack: TestStack, id: string): Promise<number> {
  const status = (await runCommand(stack, ['status', id, '--json'])) as { best: { value: number } | null };
  if (status.best === null) throw new Error(`expected a best of ${id}, got none`);
  return status.best.value;
}

async function countHeld(stack: TestStack, name: string): Promise<number> {
  const report = (await runCommand(stack, ['attack', name, '--exploits', '--json'])) as {
    attacks: { attack: string; verdict: string; why: string }[];
  };
  for (const { attack, verdict, why } of report.attacks) process.stderr.write(`${name} ${attack}: ${verdict} ${why}\n`);
  return report.attacks.filter(({ verdict }) => verdict === 'held').length;
}

/** Runs a command of Perpetua against the stack. Returns the JSON that it prints, also if it fails. */
async function runCommand({ temporalAddress, databaseUrl, home }: TestStack, argv: string[]): Promise<unknown> {
  let [stdout, stderr] = ['', ''];
  await runCli(argv, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    env: { TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home },
  });
  if (stdout === '') throw new Error(`expected JSON of perpetua ${argv.join(' ')}, got ${stderr}`);
  return JSON.parse(stdout);
}
