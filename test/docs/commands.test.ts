import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { pages } from './pages.ts';
import { allCommands } from './reference/commands.ts';
import { readDoc } from './tables.ts';

const commands = await allCommands();
const named = (of: readonly Command[], name: string | undefined): Command | undefined =>
  of.find((command) => command.name() === name);

/** What a document shows of `perpetua`: its words up to a comment, a pipe, or the words of another program. */
const calls = (markdown: string): string[] =>
  [...markdown.matchAll(/(?:`|\bnpx |\$ )perpetua ([a-z][^`\n]*)/g)].map(
    ([, words = '']) => words.split(/ #|\s--\s| \| | && | · |; /)[0]?.trim() ?? '',
  );

/** The options of a shown command that it does not have. */
function unknownOptions(call: string): string[] {
  const [name, inner] = call.split(/\s+/);
  const command = named(commands, name);
  if (!command) return [`the command ${name}`];
  const known = [command, named(command.commands, inner)].flatMap((one) => one?.options ?? []);
  const flags = [...call.matchAll(/(?<=\s)(--[a-z-]+|-[a-z])\b/g)].map(([flag]) => flag);
  return flags.filter(
    (flag) => !['--help', '-h'].includes(flag) && !known.some(({ long, short }) => flag === long || flag === short),
  );
}

describe.each((await pages()).filter((path) => path !== 'docs/reference/cli.md'))('%s', (path) => {
  test('shows no option of a command that it does not have', async () => {
    const wrong = calls(await readDoc(path)).flatMap((call) =>
      unknownOptions(call).map((option) => `${option}: perpetua ${call}`),
    );
    expect(wrong).toEqual([]);
  });
});

test('a shown option that is not there is found', () => {
  const [call = ''] = calls('`npx perpetua stop nano-lm --at-once`');
  expect(unknownOptions(call)).toEqual(['--at-once']);
});
