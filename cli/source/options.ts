import type { Command } from 'commander';
import { NAME_RULE, TASK_NAME, taskNameFrom } from '../../domain/task/task-name.ts';
import { refused } from '../errors.ts';

/** Options of `perpetua start --source`, as they were given. */
export interface SourceOptions {
  source: string;
  run?: string;
  eval?: string;
  /** True: given without a glob. */
  evalFiles?: string[] | true;
  runFiles?: string[];
  artefact?: string[];
  metric?: string;
  minimize?: boolean;
  maximize?: boolean;
  mutable?: string[];
  knobs?: string[];
  budget?: string;
  name?: string;
  out?: string;
}

/** Adds the options to `perpetua start`. */
export const addSourceOptions = (command: Command): Command =>
  command
    .option('--source <dir>', 'folder of a program: makes a task of it, with --run and --metric')
    .option('--run <command>', 'of a source: command of a run, as a shell line')
    .option(
      '--eval <command>',
      'of a source: command that scores the files of a run; without it the run prints its own score',
    )
    .option(
      '--eval-files [glob...]',
      'of a source: files that only the evaluation may read (default: those that only the evaluation opens)',
    )
    .option('--run-files <glob...>', 'of a source: further files that runs may read (default: those that a run opens)')
    .option(
      '--artefact <path...>',
      'of a source: files that a run leaves for the evaluation (default: those that one run leaves)',
    )
    .option('--metric <name>', 'of a source: name of the number that is printed as NAME: 0.5, or in JSON')
    .option('--minimize', 'of a source: lower is better')
    .option('--maximize', 'of a source: higher is better')
    .option('--mutable <glob...>', 'of a source: files that a proposal may change (default: those that --run names)')
    .option(
      '--knobs <spec...>',
      'of a source: knobs to add, narrow or drop, such as "rate=0.01..1 act=relu|gelu -batch" (default: its constants)',
    )
    .option('--budget <seconds>', 'of a source: intended time of a run (default: the time of one run)')
    .option('--name <name>', "of a source: the task's name (default: the folder's)")
    .option('-o, --out <dir>', 'of a source: folder for the task (default: tasks/NAME)');

/** Checked options of `perpetua start --source`; null: not given. */
export interface SourceRequest {
  source: string;
  run: string;
  evaluate: string | null;
  evalFiles: string[] | null;
  runFiles: string[];
  artefacts: string[] | null;
  metric: { name: string; direction: 'minimize' | 'maximize' };
  mutable: string[] | null;
  /** Texts of --knobs. */
  knobs: string[];
  seconds: number | null;
  name: string | null;
  out: string | null;
}

/** Names the required options that were not given. */
function missingOptions({ run, metric, minimize, maximize }: SourceOptions): string[] {
  const missing: string[] = [];
  if (run === undefined) missing.push('--run "COMMAND"');
  if (metric === undefined) missing.push('--metric NAME');
  if (!minimize && !maximize) missing.push('one of --minimize and --maximize');
  return missing;
}

/** Checks the options. Refuses options that no task can be made of. */
export function parseSourceOptions(given: SourceOptions): SourceRequest {
  const { source, run, metric, minimize, maximize, budget, artefact = null, mutable = null } = given;
  if (minimize && maximize) throw refused('--minimize and --maximize exclude each other. Keep one of the two.');
  if (run === undefined || metric === undefined || !(minimize || maximize))
    throw refused(
      `--source needs ${missingOptions(given).join(', ')}, such as: ` +
        'npx perpetua start --source . --run "python3 train.py" --eval "python3 evaluate.py" --metric loss --minimize',
    );
  const seconds = budget === undefined ? null : Number(budget);
  if (seconds !== null && !(seconds > 0))
    throw refused(`Expected --budget to be a number of seconds above 0, got ${JSON.stringify(budget)}.`);
  if (given.name !== undefined && !TASK_NAME.test(given.name))
    throw refused(
      `Expected --name to be ${NAME_RULE}, beginning with a letter or digit; got ${JSON.stringify(given.name)}. ` +
        `Write for example --name ${taskNameFrom(given.name)}.`,
    );
  return {
    source,
    run,
    evaluate: given.eval ?? null,
    evalFiles: given.evalFiles === true ? [] : (given.evalFiles ?? null),
    runFiles: given.runFiles ?? [],
    artefacts: artefact,
    mutable,
    knobs: given.knobs ?? [],
    seconds,
    metric: { name: metric, direction: minimize ? 'minimize' : 'maximize' },
    name: given.name ?? null,
    out: given.out ?? null,
  };
}
