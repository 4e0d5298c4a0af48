import { Command } from 'commander';
import { CATALOG } from '../../../cli/catalog.ts';
import type { Io } from '../../../cli/io.ts';

const nowhere: Io = { stdout: { write: () => true }, stderr: { write: () => true } };

/** All commands as objects of commander, in the order of the catalog. Throws if a module registers no such command. */
export async function allCommands(): Promise<Command[]> {
  const commands: Command[] = [];
  for (const { name, load } of CATALOG) {
    const program = new Command('perpetua');
    (await load())(program, nowhere);
    const command = program.commands.find((registered) => registered.name() === name);
    if (!command) throw new Error(`expected the module of ${name} to register that command`);
    commands.push(command);
  }
  return commands;
}
