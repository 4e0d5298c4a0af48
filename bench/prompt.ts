/**
 * Prints the sizes of the parts of a prompt: nano-lm after 60 trials, with real edits and invented outcomes.
 *   npx tsx bench/prompt.ts [--print]      (--print: prints the prompt)
 */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildMessages } from '../domain/search/context/build-messages.ts';
import type { PromptInput } from '../domain/prompt/prompt-input.ts';
import { CONTEXTS } from '../domain/search/context/table.ts';
import { promptAfter } from './prompt/after.ts';
import { printTable } from './support/table.ts';

/** Characters of each part, from heading to heading. No line of the files and trials begins like a heading. */
function sizesOf(input: PromptInput): [part: string, characters: number][] {
  const [system, user] = buildMessages(input, { parts: CONTEXTS.history.parts });
  const sections = (user?.content ?? '').split(/^(?=##? (?:nano-lm|What|Files to|Where|Advice|The|How|Trials|Under))/m);
  return [
    ['system: the answer’s form', system?.content.length ?? 0],
    ...sections.map((text): [string, number] => [text.split('\n', 1)[0] ?? '', text.length]),
  ];
}

/** Prints a row for each part, or the prompt. */
export async function main({ print }: { print: boolean }): Promise<void> {
  const input = await promptAfter('tasks/nano-lm', 60);
  if (print) {
    for (const { role, content } of buildMessages(input, { parts: CONTEXTS.history.parts }))
      process.stdout.write(`===== ${role}\n${content}\n`);
    return;
  }
  const rows = sizesOf(input);
  const sum = rows.reduce((all, [, characters]) => all + characters, 0);
  printTable('Prompt of nano-lm after 60 trials', ['part', 'characters'], [...rows, ['all', sum]]);
}

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url))
  await main({ print: process.argv.includes('--print') });
