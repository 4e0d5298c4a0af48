import type { Command } from 'commander';
import { reportAttacks, type AttackRow } from '../../domain/attack/report-attacks.ts';
import { CliError } from '../errors.ts';
import { printNote, printLine, printJson, type Io } from '../io.ts';
import { locateTask } from '../task/locate-task.ts';
import { planAttackRuns } from '../attack/plan-attack-runs.ts';
import { costsOf } from '../attack/costs.ts';
import { candidatesOf, executePlan } from '../attack/execute-plan.ts';
import { requireSlots } from './check.ts';
import { renderAttacks, tally } from '../render/attack.ts';

interface Options {
  only?: string[];
  heavy?: boolean;
  exploits?: boolean;
  json?: boolean;
}

export function registerAttack(program: Command, io: Io): void {
  program
    .command('attack <task>')
    .description('Try hostile candidates on a task, for real: does its evaluator hold? Exit code 0 only if all held.')
    .option('--only <name>', 'only this attack; may be repeated', (name: string, before: string[] = []) => [
      ...before,
      name,
    ])
    .option('--heavy', 'also try attacks that take much memory, disk or time')
    .option('--exploits', "only the task's own hostile candidates, in its folder exploits/")
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nHow to write an evaluator that holds: docs/guides/evaluators.md')
    .action((task: string, options: Options) => attack(io, task, options));
}

async function attack(io: Io, nameOrPath: string, options: Options): Promise<void> {
  const located = await locateTask(io, nameOrPath);
  const { task, hash } = located.loaded;
  const { plan, target } = await planAttackRuns(io, located, options);
  if (candidatesOf(plan).length === 0) {
    const rows = reportAttacks(plan, { metric: task.metric, baseline: [], tried: [] });
    return finish(io, { options, rows, result: { task: task.name, hash } });
  }
  await requireSlots(io, task);
  printNote(io, costsOf(plan, task));
  if (task.run.sandbox === 'none')
    printNote(io, '! run.sandbox is none: these attacks run as your own user, and reach all that you can');
  const { rows, ...found } = await executePlan(io, located, { plan, target });
  finish(io, { options, rows, result: { task: task.name, hash, ...found } });
}

interface Outcome {
  options: Options;
  rows: readonly AttackRow[];
  result: { task: string; hash: string; left?: readonly string[] };
}

/** Prints the result. Throws CliError with the result if an attack did not hold or left something behind. */
function finish(io: Io, { options, rows, result }: Outcome): void {
  const leftovers = result.left ?? [];
  const hasHeld =
    leftovers.length === 0 && rows.every(({ verdict }) => verdict === 'held' || verdict === 'not applicable');
  if (!options.json) {
    for (const line of renderAttacks(rows)) printLine(io, line);
    for (const leftover of leftovers) printLine(io, `BROKEN: the attacks left ${leftover} behind`);
  } else if (hasHeld) printJson(io, { ...result, attacks: rows });
  if (!hasHeld)
    throw new CliError('failed', `Expected every attack to hold: ${tally(rows)}.`, {
      result: { ...result, attacks: rows },
    });
}
