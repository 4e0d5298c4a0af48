import type { Command } from 'commander';
import { CATALOG } from '../../../cli/catalog.ts';
import { allCommands } from './commands.ts';
import { page, table } from './write.ts';

/** Text of `docs/reference/cli.md`: every command with its arguments and options. */
export async function cliPage(): Promise<string> {
  const commands = await allCommands();
  const sections = commands.flatMap((command) => [`## ${command.name()}`, ...sectionsOf(command, 'perpetua')]);
  const index = table(
    ['command', 'what'],
    CATALOG.map(({ name, summary }) => [`[\`${name}\`](#${name})`, summary]),
  );
  const body = `${INTRODUCTION}\n\n${index}\n\n${sections.join('\n\n')}`;
  return page('docs/reference/cli.md', { title: 'The command line', from: 'cli/catalog.ts', body });
}

const INTRODUCTION = `In a clone, \`npx perpetua\` is the command. \`-h\` shows the help of each. Exit codes: 0 done,
1 failed, 2 refused input, 3 cannot reach Temporal or Postgres. What steers a research:
[steering](../guides/steering.md).`;

/** Parts of the section of a command, then those of its subcommands, each under a heading with both names. */
function sectionsOf(command: Command, parent: string): string[] {
  const whole = `${parent} ${command.name()}`;
  const own = [`\`${parent} ${command.name()} ${command.usage()}\``, command.description(), optionsOf(command)];
  const deeper = command.commands.flatMap((inner) => [
    `### ${command.name()} ${inner.name()}`,
    ...sectionsOf(inner, whole),
  ]);
  return [...own.filter((part) => part !== ''), ...deeper];
}

function optionsOf(command: Command): string {
  const shown = command.options.filter((option) => !option.hidden);
  const described = command.registeredArguments.filter(({ description }) => description !== '');
  const rows = [
    ...described.map((argument) => [`\`${argument.name()}\``, argument.description]),
    ...shown.map(({ flags, description, defaultValue, mandatory }) => [
      `\`${flags}\``,
      [
        description,
        mandatory ? 'required' : '',
        defaultValue === undefined ? '' : `default ${JSON.stringify(defaultValue)}`,
      ]
        .filter((part) => part !== '')
        .join('; '),
    ]),
  ];
  return rows.length === 0 ? '' : table(['option', 'what'], rows);
}
