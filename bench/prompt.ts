/**
 * Prints the tokens of each part of a prompt, and the CPU of building it, after 10, 1,000 and 100,000 trials of a
 * generated research, with all parts turned on:
 *   node dist/bench/prompt.js [trials …]
 *   node dist/bench/prompt.js --print      (prints the prompt of nano-lm after 60 trials, with real edits)
 */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildMessages } from '../domain/search/context/build-messages.ts';
import { CONTEXTS } from '../domain/search/context/table.ts';
import { promptAfter } from './prompt/after.ts';
import { measurePrompts, type Measured } from './prompt/measure.ts';
import { printTable } from './support/table.ts';

const TRIALS = [10, 1000, 100_000];

/** Prints the prompt, or a row for each part. */
export async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--print')) {
    const input = await promptAfter('tasks/nano-lm', 60);
    for (const { role, content } of buildMessages(input, { parts: CONTEXTS.history.parts }))
      process.stdout.write(`===== ${role}\n${content}\n`);
    return;
  }
  const measured = await measurePrompts(args.length > 0 ? args.map(Number) : TRIALS);
  const names = [...new Set(measured.flatMap(({ sizes }) => sizes.map(({ part }) => part)))];
  const sum = ({ sizes }: Measured): number => sizes.reduce((all, { tokens }) => all + tokens, 0);
  const columns = measured.map(({ trials }) => `after ${trials}`);
  printTable(
    'Tokens of a prompt (characters / 4)',
    ['part', ...columns],
    [
      ...names.map((name) => [name, ...measured.map(({ sizes }) => tokensOf(sizes, name))]),
      ['all', ...measured.map(sum)],
    ],
  );
  printTable(
    'CPU of a prompt in ms',
    ['process', ...columns],
    [
      ['Node', ...measured.map(({ cpu }) => cpu.node)],
      ['Postgres', ...measured.map(({ cpu }) => cpu.postgres)],
    ],
  );
}

const tokensOf = (sizes: Measured['sizes'], name: string): number =>
  sizes.find(({ part }) => part === name)?.tokens ?? 0;

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url))
  await main(process.argv.slice(2));
