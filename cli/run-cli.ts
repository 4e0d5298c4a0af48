import { join } from 'node:path';
import { Command, CommanderError, type Option } from 'commander';
import { packageRoot } from '../config/paths.ts';
import { nearestKey } from '../domain/text/nearest-key.ts';
import { CATALOG } from './catalog.ts';
import { EXIT, ExitWith, toCliError, type CliError } from './errors.ts';
import { printJson, type Io } from './io.ts';
import { VERSION } from './version.ts';
import { sanitize } from '../domain/text/sanitize.ts';

/** Runs a command line (without node and the script) and returns its exit code. Never throws. */
export async function runCli(argv: string[], io: Io): Promise<number> {
  const program = shell(io);
  try {
    const [first, second] = argv.filter((word) => !word.startsWith('-'));
    // `help NAME` needs the module of the command NAME, and refuses an unknown name as NAME alone does.
    const name = first === 'help' ? second : first;
    const wanted = CATALOG.find((entry) => entry.name === name);
    const isUnknown = name !== undefined && name !== 'help' && wanted === undefined;
    for (const entry of CATALOG)
      if (entry === wanted) (await entry.load())(program, io);
      else program.command(entry.name).description(entry.summary);
    // Commander does not pass exitOverride and the output on to commands that are made with addCommand.
    for (const command of program.commands) inheritAll(command, io);
    const group = program.commands.find((command) => command.name() === wanted?.name);
    if (group && first !== 'help') requireSubcommand(group, argv.slice(argv.indexOf(group.name()) + 1));
    // An unknown command is parsed without its options: Commander would answer its `--help` with the program's help.
    await program.parseAsync(isUnknown ? [name] : argv, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : refuse(error, { argv, io, program });
    if (error instanceof ExitWith) return error.exitCode;
    return report(argv, io, toCliError(error));
  }
}

/**
 * Refuses an unknown subcommand of a group. Commander does so itself only for a group that has no action of its own.
 */
function requireSubcommand(group: Command, [word]: readonly string[]): void {
  if (group.commands.length === 0 || group.registeredArguments.length > 0) return;
  const known = ['help', ...group.commands.map((command) => command.name())];
  if (word === undefined || word.startsWith('-') || known.includes(word)) return;
  const nearest = nearestKey(word, known);
  group.error(`error: unknown command '${word}'${nearest === null ? '' : `\n(Did you mean ${nearest}?)`}`, {
    code: 'commander.unknownCommand',
  });
}

function shell(io: Io): Command {
  const program = new Command('perpetua')
    .description('Research loops that never stop: propose, run, score, keep, on Temporal and Postgres.')
    .version(VERSION)
    // An option belongs to the command before it.
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 refused input, 3 cannot reach Temporal or Postgres.')
    .addHelpText('after', () => `Guides: ${join(packageRoot(), 'docs', 'README.md')}`);
  return inherit(program, io);
}

const inherit = (command: Command, io: Io): Command =>
  command.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
    getOutHelpWidth: () => io.stdout.columns ?? 100,
    getErrHelpWidth: () => io.stderr.columns ?? 100,
  });

function inheritAll(command: Command, io: Io): void {
  inherit(command, io);
  for (const inner of command.commands) inheritAll(inner, io);
}

/** Handles an error of Commander, which has written its message already. */
function refuse(error: CommanderError, { argv, io, program }: { argv: string[]; io: Io; program: Command }): number {
  const message = error.code === 'commander.help' ? 'no command was given' : error.message.replace(/^error: /, '');
  const { command, names } = commandIn(argv, program);
  if (error.code === 'commander.unknownOption' && !message.includes('Did you mean'))
    io.stderr.write(`Known options: ${['--help', ...command.options.map(optionName)].join(', ')}\n`);
  if (error.code !== 'commander.help') io.stderr.write(`See: ${['npx perpetua', ...names, '--help'].join(' ')}\n`);
  if (argv.includes('--json')) printJson(io, { error: { code: 'refused', message } });
  return EXIT.refused;
}

const optionName = ({ long, flags }: Option): string => long ?? flags;

/** The command that a command line names by its first words, and these words. */
function commandIn(argv: readonly string[], program: Command): { command: Command; names: string[] } {
  const names: string[] = [];
  let command = program;
  for (const word of argv) {
    const inner = command.commands.find((candidate) => candidate.name() === word);
    if (!inner) break;
    names.push(word);
    command = inner;
  }
  return { command, names };
}

function report(argv: string[], io: Io, error: CliError): number {
  // A message may quote the output of a candidate or of an evaluator.
  io.stderr.write(`${sanitize(error.message)}\n`);
  if (argv.includes('--json')) printJson(io, { ...error.result, error: { code: error.code, message: error.message } });
  return EXIT[error.code];
}
