import type { Command } from 'commander';
import type { JobEnded } from '../../domain/job/ended.ts';
import { JobArgs } from '../../domain/messages.ts';
import { withDb, withTemporal, type Temporal } from '../context.ts';
import { CliError, ExitWith, refused } from '../errors.ts';
import { printNote, printJson, type Io } from '../io.ts';
import type { AskedKind } from '../../domain/job.ts';
import { separateNotes } from '../run/separate-notes.ts';
import { followJob } from '../run/follow-job.ts';
import { createJobPrinter } from '../run/job-printer.ts';
import * as listeners from '../run/job-listeners.ts';
import { followWithWaitNotes } from '../run/wait/follow-with-wait-notes.ts';
import { createWaitProbe } from '../run/wait/wait-probe.ts';
import { startJob, reopenJob } from '../run/start-job.ts';
import { locateTask } from '../task/locate-task.ts';
import { shellLine } from '../run/shell-line.ts';
import { exitCodeOf, whyEnded } from '../run/exit-code.ts';

interface Options {
  pool?: string;
  ready?: string;
  attach?: string;
  json?: boolean;
}

export function registerRun(program: Command, io: Io): void {
  program
    .command('run [task] [command...]')
    .usage('<task> [--pool <pool>] [--ready <text>] -- <command…>')
    .description(
      'Run a command once in the workspace of a task, on a slot, within its limits and its sandbox, after its setup. ' +
        'A command in one argument is a shell line. Its run directory is removed when it ends.',
    )
    .option('--pool <pool>', "pool to run in (default: the task's own)")
    .option(
      '--ready <text>',
      'run as a server: no time limit; ready once it prints a line with this text; started again whenever it ends',
    )
    .option(
      '--attach <id>',
      'follow a command or server that is under way; shows the output of its last run from the start',
    )
    .option('--json', 'a command: one object at its end, with its output; a server: one object for each event')
    .addHelpText(
      'after',
      '\nCtrl-C ends the command or server and waits until it is gone. ' +
        'A second Ctrl-C ends the wait; the command or server still ends. ' +
        'TERM, or a closed terminal, leaves it running.\n' +
        "The exit code is the command's own (128 + n for a signal n); 1 if a limit ended it, or if it never ran. " +
        'For a server it is 0 if you ended it.\n' +
        'In a sandbox nothing outside reaches the ports of a server: run.sandbox: none in its task opens them.',
    )
    .action((task: string | undefined, command: string[], options: Options) => run(io, { task, command, options }));
}

interface Invocation {
  task: string | undefined;
  command: string[];
  options: Options;
}

async function run(outer: Io, invocation: Invocation): Promise<void> {
  const { io, endLine } = separateNotes(outer);
  io.exitOnTerm?.();
  try {
    await runToEnd(io, invocation);
  } catch (error) {
    // The caller prints the error's message, which needs a line of its own.
    if (!(error instanceof ExitWith)) endLine();
    throw error;
  }
}

async function runToEnd(io: Io, invocation: Invocation): Promise<void> {
  const { task, command, options } = invocation;
  const { attach, json = false } = options;
  if (attach !== undefined ? task !== undefined || options.ready !== undefined : !task || command.length === 0)
    throw refused('Expected a task and a command: npx perpetua run <task> -- <command…>, or --attach <id> alone.');
  const output: string[] | null = json ? [] : null;
  const listenerFor = (kind: AskedKind, id: string) => {
    if (kind === 'command') return listeners.createCommandListener(io, { collected: output });
    return json ? listeners.createServerJsonListener(io, id) : listeners.createServerListener(io);
  };
  const waited: string[] = [];
  const onWait = (why: string): void => {
    if (json) waited.push(why);
    else printNote(io, why);
  };
  const outcome = await withTemporal(io, async (temporal) => {
    const { id, kind } = await begin(io, { ...invocation, temporal });
    if (!json) printNote(io, `the ${kind} ${id}; Ctrl-C ends it`);
    const handle = temporal.client.workflow.getHandle(id);
    const printer = createJobPrinter(id, listenerFor(kind, id));
    const ended = await withDb(io, (db) =>
      followWithWaitNotes({ probe: createWaitProbe({ client: temporal.client, db, id }), report: onWait }, () =>
        followJob(io, { db, handle, printer }),
      ),
    );
    return { id, kind, ended, waited };
  });
  if (outcome.kind === 'server') finishServer(io, { ...outcome, json });
  else finishCommand(io, { ...outcome, output });
}

/** Starts the job; with --attach, finds the running one. */
async function begin(
  io: Io,
  { temporal, task, command, options }: Invocation & { temporal: Temporal },
): Promise<{ id: string; kind: AskedKind }> {
  const { attach, ready } = options;
  if (attach !== undefined) return { id: attach, kind: await reopenJob(io, temporal, attach) };
  const located = await locateTask(io, task ?? '');
  const pool = options.pool === undefined ? {} : { pool: options.pool };
  const serve = ready === undefined ? {} : { serve: { ready } };
  const args: JobArgs = { task: located.task, command: shellLine(command), ...pool, ...serve };
  if (!JobArgs.safeParse(args).success)
    throw refused(`Expected --ready as a part of one line, of 1 to 1000 characters; got ${JSON.stringify(ready)}.`);
  const id = await startJob(io, temporal, { name: located.loaded.task.name, args });
  return { id, kind: ready === undefined ? 'command' : 'server' };
}

interface Outcome {
  id: string;
  ended: JobEnded;
  /** Reasons why the job waited. Empty without --json: each reason was printed at once. */
  waited: string[];
}

/** Ends with the command's exit code. `output`: the command's output with --json, else null. */
function finishCommand(io: Io, { id, ended, output, waited }: Outcome & { output: string[] | null }): void {
  const exitCode = exitCodeOf(ended);
  const { why, detail, host, end } = ended;
  const result = {
    id,
    why,
    detail,
    host,
    exitCode,
    signal: end?.signal ?? null,
    reason: end?.reason ?? null,
    seconds: end?.seconds ?? null,
    waited,
    output: output && output.join(''),
  };
  if (exitCode === null) throw new CliError('failed', whyEnded(ended), output === null ? {} : { result });
  if (output !== null) printJson(io, result);
  if (exitCode !== 0) throw new ExitWith(exitCode);
}

/** Reports the end of a server. A server that a person cancelled has succeeded; any other end is a failure. */
function finishServer(io: Io, { id, ended, waited, json }: Outcome & { json: boolean }): void {
  const { why, detail, host } = ended;
  const result = { id, event: 'closed', why, detail, host, waited };
  if (why !== 'cancelled') throw new CliError('failed', whyEnded(ended), json ? { result } : {});
  if (json) printJson(io, result);
  else printNote(io, whyEnded(ended));
}
