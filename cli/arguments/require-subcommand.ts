import type { Command } from 'commander';
import { nearestKey } from '../../domain/text/nearest-key.ts';

/**
 * Refuses the first word after a group of commands that names none of them, as Commander does by itself where the group does nothing
 * alone.
 */
export function requireSubcommand(group: Command, [word]: readonly string[]): void {
  if (group.commands.length === 0 || group.registeredArguments.length > 0) return;
  const known = ['help', ...group.commands.map((command) => command.name())];
  if (word === undefined || word.startsWith('-') || known.includes(word)) return;
  const nearest = nearestKey(word, known);
  group.error(`error: unknown command '${word}'${nearest === null ? '' : `\n(Did you mean ${nearest}?)`}`, {
    code: 'commander.unknownCommand',
  });
}
