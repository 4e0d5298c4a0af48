import { Command } from 'commander';
import { CATALOG } from '../../../cli/catalog.ts';
import type { Io } from '../../../cli/io.ts';

const nowhere: Io = { stdout: { write: () => true }, stderr: { write: () => true } };

/** Every command, as commander knows it, in the order of the catalog. */
export async function allCommands(): Promise<Command[]> {
  const commands: Command[] = [];
  for (const { name, load } of CATALOG) {
    const program = new Command('perpetua');
    (await load())(program, nowhere);
    const command = program.commands.find((one) => one.name() === name);
    if (!command) throw new Error(`expected the module of ${name} to register that command`);
    commands.push(command);
  }
  return commands;
}
