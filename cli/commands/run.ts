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
import * as tellings from '../run/job-listeners.ts';
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
        'A command of one word is a line of the shell. Its directory is removed when it ends.',
    )
    .option('--pool <pool>', "where (default: the task's own)")
    .option(
      '--ready <text>',
      'run as a server: no limit of time; ready once it prints a line that holds this text; begun again whenever it ends',
    )
    .option(
      '--attach <id>',
      'follow a command or server that is under way; the output of its last run is shown from the start',
    )
    .option(
      '--json',
      'a command: one object at its end, with its output; a server: one object a line, as things happen',
    )
    .addHelpText(
      'after',
      '\nCtrl-C ends it and waits until it is gone. A second Ctrl-C stops waiting; it ends by itself. TERM, or a closed ' +
        "terminal, leaves it running.\nThe exit code is the command's own (128 + n for a signal n); 1 where a limit ended it, or it never ran. " +
        'That of a server is 0 if a person ended it.\n' +
        'In a sandbox nothing outside reaches the ports of a server: run.sandbox: none in its task opens them.',
    )
    .action((task: string | undefined, command: string[], options: Options) => run(io, { task, command, options }));
}

interface Asked {
  task: string | undefined;
  command: string[];
  options: Options;
}

async function run(outer: Io, asked: Asked): Promise<void> {
  const { io, endLine } = separateNotes(outer);
  io.exitOnTerm?.();
  try {
    await runToEnd(io, asked);
  } catch (error) {
    // Its words are told by whoever catches it.
    if (!(error instanceof ExitWith)) endLine();
    throw error;
  }
}

async function runToEnd(io: Io, asked: Asked): Promise<void> {
  const { task, command, options } = asked;
  const { attach, json = false } = options;
  if (attach !== undefined ? task !== undefined || options.ready !== undefined : !task || command.length === 0)
    throw refused('Expected a task and a command: npx perpetua run <task> -- <command…>, or --attach <id> alone.');
  const said = json ? [] : null;
  const tellingOf = (kind: AskedKind, id: string) =>
    kind === 'command'
      ? tellings.createCommandListener(io, { said })
      : json
        ? tellings.createServerJsonListener(io, id)
        : tellings.createServerListener(io);
  const waited: string[] = [];
  const tellWait = (why: string): void => void (json ? waited.push(why) : printNote(io, why));
  const over = await withTemporal(io, async (temporal) => {
    const { id, kind } = await begin(io, { ...asked, temporal });
    if (!json) printNote(io, `the ${kind} ${id}; Ctrl-C ends it`);
    const handle = temporal.client.workflow.getHandle(id);
    const printer = createJobPrinter(id, tellingOf(kind, id));
    const ended = await withDb(io, (db) =>
      followWithWaitNotes({ look: createWaitProbe({ client: temporal.client, db, id }), tell: tellWait }, () =>
        followJob(io, { db, handle, printer }),
      ),
    );
    return { id, kind, ended, waited };
  });
  if (over.kind === 'server') tellOfServer(io, { ...over, json });
  else tell(io, { ...over, said });
}

/** Starts the command, or finds it. */
async function begin(
  io: Io,
  { temporal, task, command, options }: Asked & { temporal: Temporal },
): Promise<{ id: string; kind: AskedKind }> {
  const { attach, ready } = options;
  if (attach !== undefined) return { id: attach, kind: await reopenJob(io, temporal, attach) };
  const located = await locateTask(io, task ?? '');
  const pool = options.pool === undefined ? {} : { pool: options.pool };
  const serve = ready === undefined ? {} : { serve: { ready } };
  const asked: JobArgs = { task: located.task, command: shellLine(command), ...pool, ...serve };
  if (!JobArgs.safeParse(asked).success)
    throw refused(`Expected --ready as a part of one line, of 1 to 1000 characters; got ${JSON.stringify(ready)}.`);
  const id = await startJob(io, temporal, { name: located.loaded.task.name, asked });
  return { id, kind: ready === undefined ? 'command' : 'server' };
}

interface Over {
  id: string;
  ended: JobEnded;
  /** Why it had to wait, where that was not told as it did. */
  waited: string[];
}

function tell(io: Io, { id, ended, said, waited }: Over & { said: string[] | null }): void {
  const exitCode = exitCodeOf(ended);
  const { why, detail, host, end } = ended;
  const result = {
    ...{ id, why, detail, host, exitCode, signal: end?.signal ?? null },
    ...{ reason: end?.reason ?? null, seconds: end?.seconds ?? null, waited, output: said && said.join('') },
  };
  if (exitCode === null) throw new CliError('failed', whyEnded(ended), said === null ? {} : { result });
  if (said !== null) printJson(io, result);
  if (exitCode !== 0) throw new ExitWith(exitCode);
}

/** A server that a person has ended has done what was asked. */
function tellOfServer(io: Io, { id, ended, waited, json }: Over & { json: boolean }): void {
  const { why, detail, host } = ended;
  const result = { id, event: 'closed', why, detail, host, waited };
  if (why !== 'cancelled') throw new CliError('failed', whyEnded(ended), json ? { result } : {});
  if (json) printJson(io, result);
  else printNote(io, whyEnded(ended));
}
