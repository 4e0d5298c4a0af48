import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { hasEnded, isSettled } from '../../../domain/mcp/followed.ts';
import { describeIssue, InjectOnceArgs, tooLarge, type InjectResult } from '../../../domain/messages.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import { decodeText } from '../../../tasks/decode-text.ts';
import { describeInjected } from '../../../view/steering/results.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { CliError, refused, toCliError } from '../../errors.ts';
import { printJson, printLine, printNote, type Io } from '../../io.ts';
import { followTrial } from '../../steering/follow-trial.ts';
import { updateResearch } from '../../steering/update-research.ts';

interface Options {
  file: string[];
  delete: string[];
  message: string;
  key?: string;
  wait?: boolean;
  json?: boolean;
}

const collect = (value: string, before: string[]): string[] => [...before, value];

export function registerInject(program: Command, io: Io): void {
  program
    .command('inject [id]')
    .description('Run your own version of mutable files as the next trial, ahead of other proposals.')
    .option('--file <path=file>', 'a file of the workspace, and your text of it; may be repeated', collect, [])
    .option('--delete <path>', 'a mutable file to delete, if the task allows it; may be repeated', collect, [])
    .requiredOption('-m, --message <hypothesis>', 'why it should be better')
    .option('--key <key>', 'your name of the idea: the same key twice is one idea')
    .option('--wait', 'wait for the verdict')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample: npx perpetua inject nano-lm --file train.mjs=mine.mjs -m "a larger batch" --wait')
    .action((id: string | undefined, options: Options) => inject(io, id, options));
}

async function inject(io: Io, named: string | undefined, options: Options): Promise<void> {
  const key = options.key ?? randomUUID();
  const files = Object.fromEntries(await Promise.all(options.file.map(readFileOption)));
  const removed = options.delete.length === 0 ? {} : { delete: options.delete };
  const idea = { files, hypothesis: options.message, key, ...removed };
  const parsed = InjectOnceArgs.safeParse(idea);
  const why = parsed.success ? tooLarge(idea) : describeIssue(parsed.error, idea);
  if (why !== null) throw refused(`Expected an idea that a research takes; ${why}. Give a file: --file PATH=FILE.`);
  const { id, task } = await withDb(io, (db) => pickResearch(db, named));
  const onRepeat = `Repeat the command with --key ${key}: it stays one idea.`;
  const known = { workflowId: id, key };
  // A person who repeats the command with this key gets one trial, wherever the command was interrupted.
  if (options.key === undefined) printNote(io, `key of the idea: ${key}`);
  await withResult(known, () => updateResearch<InjectResult>(io, { id, name: 'inject', args: idea, onRepeat }));
  if (options.wait !== true) {
    if (options.json === true) return printJson(io, known);
    printLine(io, describeInjected(id, key));
    return;
  }
  const { followed, text } = await withResult(known, () =>
    followTrial(io, {
      researchId: id,
      unit: task.metric.unit,
      subject: { key },
      until: 'verdict',
      onText: (line) => printNote(io, line),
    }),
  );
  const { trial } = followed;
  const trialId = trial === null ? null : trialIdOf(id, trial.n);
  const result = { ...known, trial: trialId, ...trial };
  if (!isSettled(followed, 'verdict')) {
    const end = hasEnded(followed) ? 'the research ended' : 'the wait was interrupted';
    throw new CliError('failed', `Expected a verdict on the idea ${key}; ${end} before it. ${text}`, { result });
  }
  if (options.json === true) printJson(io, result);
  else printLine(io, text);
}

/** Reads `path=file`: the path in the workspace and the text of the file. */
async function readFileOption(option: string): Promise<[path: string, text: string]> {
  const at = option.indexOf('=');
  if (at < 1) throw refused(`Expected --file PATH=FILE, such as train.py=mine.py; got ${JSON.stringify(option)}.`);
  const file = option.slice(at + 1);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw refused(`Expected a file ${file}: ${error instanceof Error ? error.message : String(error)}.`);
  });
  const text = decodeText(bytes);
  if (text === null || text.includes('\0')) throw refused(`Expected ${file} to be text in UTF-8.`);
  return [option.slice(0, at), text];
}

/** Runs an action, whose error then has this result for `--json`. */
async function withResult<T>(result: object, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code, message } = toCliError(error);
    throw new CliError(code, message, { cause: error, result });
  }
}
