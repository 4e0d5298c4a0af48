import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exclusionReason } from '../../domain/source/exclusion-reason.ts';
import { guessCommand, isRead } from '../../domain/source/guess-command.ts';
import { nearestKey } from '../../domain/text/nearest-key.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { refused } from '../errors.ts';

/** Largest file that is read for the guess, in bytes. */
const LARGEST = 256 * 1024;

/**
 * The error of a folder without a task.yaml, with the command that makes a task of the program in it. Any other error,
 * and that of a folder without files or with a misspelt task.yaml, is returned as it is.
 */
export async function withSourceOffer(error: unknown, folder: string): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isFile() && exclusionReason(entry.name) === null)
    .map(({ name }) => name);
  const hasTask = entries.some(({ name }) => name === 'task.yaml') || nearestKey('task.yaml', names) !== null;
  if (names.length === 0 || hasTask) return error;
  const files: Record<string, string> = {};
  for (const name of names) files[name] = isRead(name) ? await readStart(join(folder, name)) : '';
  const command = guessCommand(folder, files);
  const blanks = /COMMAND|NAME/.test(command) ? ' (replace the words in capital letters)' : '';
  return refused(`${error.message}\nTo make a task of the program in ${folder}${blanks}:\n  ${command}`);
}

async function readStart(path: string): Promise<string> {
  const { size } = await lstat(path);
  return size > LARGEST ? '' : readFile(path, 'utf8').catch(() => '');
}

/** The refusal of a research for a lack of knobs, with the two ways out; any other error as it is. */
export function withWaysOut(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !/search\.proposer: .*needs knobs/.test(error.message)) return error;
  const task = shellWord(folder);
  return refused(
    `${error.message}\n` +
      'The program has no constant that the search may change, and the worker has no model. Two ways out:\n' +
      `- name constants with their values: remove ${task}, then add --knobs "NAME=LOW..HIGH" to the same command\n` +
      '- use a model: npx perpetua down, set OPENAI_BASE_URL or OPENAI_API_KEY, npm start, ' +
      `then: npx perpetua start ${task}`,
  );
}
