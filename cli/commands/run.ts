import type { Command } from 'commander';
import type { JobEnded } from '../../domain/job-ended.ts';
import type { Temporal } from '../context.ts';
import { CliError, ExitWith, refused } from '../errors.ts';
import { note, sayJson, type Io } from '../io.ts';

interface Options {
  pool?: string;
  attach?: string;
  json?: boolean;
}

export function registerRun(program: Command, io: Io): void {
  program
    .command('run [task] [command...]')
    .usage('<task> [--pool <pool>] -- <command…>')
    .description(
      'Run a command once in the workspace of a task, on a slot, within its limits and its sandbox, after its setup. ' +
        'A command of one word is a line of the shell. Its directory is removed when it ends.',
    )
    .option('--pool <pool>', "where (default: the task's own)")
    .option('--attach <id>', 'go on with a command that is under way, from the beginning of what it said')
    .option('--json', 'one JSON object at its end, with all that it said')
    .addHelpText(
      'after',
      '\nCtrl-C ends the command and waits until it is gone; Ctrl-C again leaves it to itself. A terminal that is closed leaves ' +
        "it, too.\nThe exit code is the command's own (128 + n for a signal n); 1 where a limit ended it, or it never ran.",
    )
    .action((task: string | undefined, command: string[], options: Options) => run(io, { task, command, options }));
}

interface Asked {
  task: string | undefined;
  command: string[];
  options: Options;
}

async function run(io: Io, { task, command, options }: Asked): Promise<void> {
  const { attach } = options;
  if (attach !== undefined ? task !== undefined : task === undefined || command.length === 0)
    throw refused('Expected a task and a command: npx perpetua run <task> -- <command…>, or --attach <id> alone.');
  const [{ withDb, withTemporal }, { followJob }, { createPrinter }] = await Promise.all([
    import('../context.ts'),
    import('../run/follow-job.ts'),
    import('../run/print-output.ts'),
  ]);
  const said: string[] = [];
  const write = (text: string): void => void (options.json ? said.push(text) : io.stdout.write(text));
  const onAgain = (): void => {
    said.length = 0;
    note(io, 'its machine lost it; it is begun once more');
  };
  const { id, ended } = await withTemporal(io, async (temporal) => {
    const id = await begin(io, { temporal, task, command, options });
    if (!options.json) note(io, `the command ${id}; Ctrl-C ends it`);
    const handle = temporal.client.workflow.getHandle(id);
    const printer = createPrinter(id, { write, onAgain });
    return { id, ended: await withDb(io, (db) => followJob(io, { db, handle, printer })) };
  });
  await tell(io, { id, ended, said: options.json ? said.join('') : null });
}

type Begun = Asked & { temporal: Temporal };

/** Starts the command, or finds it; returns its id. */
async function begin(io: Io, { temporal, task, command, options }: Begun): Promise<string> {
  const { startJob, goOnWithJob } = await import('../run/start-job.ts');
  if (options.attach !== undefined) {
    await goOnWithJob(io, temporal, options.attach);
    return options.attach;
  }
  const [{ locateTask }, { shellLine }] = await Promise.all([
    import('../locate-task.ts'),
    import('../run/shell-words.ts'),
  ]);
  const located = await locateTask(io, task ?? '');
  const pool = options.pool === undefined ? {} : { pool: options.pool };
  const asked = { task: located.task, command: shellLine(command), ...pool };
  return startJob(temporal, { name: located.loaded.task.name, asked });
}

async function tell(io: Io, of: { id: string; ended: JobEnded; said: string | null }): Promise<void> {
  const { exitCodeOf, whyEnded } = await import('../run/exit-code.ts');
  const { id, ended, said } = of;
  const exitCode = exitCodeOf(ended);
  const { why, detail, host, end } = ended;
  const result = {
    ...{ id, why, detail, host, exitCode, signal: end?.signal ?? null },
    ...{ reason: end?.reason ?? null, seconds: end?.seconds ?? null, output: said },
  };
  if (exitCode === null) throw new CliError('failed', whyEnded(ended), said === null ? {} : { result });
  if (said !== null) sayJson(io, result);
  if (exitCode !== 0) throw new ExitWith(exitCode);
}
