import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { pages } from './pages.ts';
import { allCommands } from './reference/commands.ts';
import { readDoc } from './tables.ts';

const commands = await allCommands();
const named = (candidates: readonly Command[], name: string | undefined): Command | undefined =>
  candidates.find((command) => command.name() === name);

/** Calls of `perpetua` that a document shows: the words up to a comment, a pipe, or the words of another program. */
const calls = (markdown: string): string[] =>
  [...markdown.matchAll(/(?:`|\bnpx |\$ )perpetua ([a-z][^`\n]*)/g)].map(
    ([, words = '']) => words.split(/ #|\s--\s| \| | && | · |; /)[0]?.trim() ?? '',
  );

/** Options of a shown call that its command does not have. */
function unknownOptions(call: string): string[] {
  const [name, inner] = call.split(/\s+/);
  const command = named(commands, name);
  if (!command) return [`the command ${name}`];
  const known = [command, named(command.commands, inner)].flatMap((found) => found?.options ?? []);
  const flags = [...call.matchAll(/(?<=\s)(--[a-z-]+|-[a-z])\b/g)].map(([flag]) => flag);
  return flags.filter(
    (flag) => !['--help', '-h'].includes(flag) && !known.some(({ long, short }) => flag === long || flag === short),
  );
}

describe.each((await pages()).filter((path) => path !== 'docs/reference/cli.md'))('%s', (path) => {
  test('shows only options that the command has', async () => {
    const wrong = calls(await readDoc(path)).flatMap((call) =>
      unknownOptions(call).map((option) => `${option}: perpetua ${call}`),
    );
    expect(wrong).toEqual([]);
  });
});

test('a shown option that does not exist is found', () => {
  const [call = ''] = calls('`npx perpetua stop nano-lm --at-once`');
  expect(unknownOptions(call)).toEqual(['--at-once']);
});
