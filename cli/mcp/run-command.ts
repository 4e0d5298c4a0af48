import { Command, CommanderError } from 'commander';
import { CliError, toCliError } from '../errors.ts';
import type { Io } from '../io.ts';
import { quiet, type Call } from './session.ts';

/** Registers one command; the type of the catalog is not imported, since the catalog loads this file. */
type Register = (program: Command, io: Io) => void;

export interface Ran {
  /** Text that the command printed. */
  stdout: string;
  /** Its notes, one each. */
  notes: string[];
}

/**
 * Runs a command of `perpetua` within this process and returns its output. Throws CliError if the command fails. Words
 * that an agent chose come after `--` or within `--option=word`, so that none of them is read as an option.
 */
export async function runCommand(call: Call, register: Register, argv: readonly string[]): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const io: Io = {
    ...quiet(call),
    stdout: { write: (text) => void (written.stdout += text) },
    stderr: { write: (text) => void (written.stderr += text) },
  };
  const program = new Command('perpetua').enablePositionalOptions();
  register(program, io);
  for (const command of [program, ...program.commands])
    command.exitOverride().configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new CliError('refused', written.stderr.trim() || error.message);
    throw toCliError(error);
  }
  return { stdout: written.stdout.trimEnd(), notes: linesOf(written.stderr) };
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
