import type { Command } from 'commander';
import { readCalls, readEvaluatorCalls } from '../../../db/reads/read-trial.ts';
import { pickTrial } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { printJson, printLine, type Io } from '../../io.ts';
import { callsJson, renderCalls } from '../../render/calls.ts';

interface Options {
  evaluator?: boolean;
  full?: boolean;
  json?: boolean;
}

export function registerCalls(program: Command, io: Io): void {
  program
    .command('calls <trial>')
    .description(
      'The conversation of a trial, named <id>/<n>, with a model: of each call its new messages, its answer, ' +
        'tool calls, tokens, cost and latency.',
    )
    .option('--evaluator', "the calls of the trial's evaluator alone, with their texts, which nothing else shows")
    .option('--full', 'long texts whole')
    .option('--json', 'one JSON object, texts whole')
    .action(async (ref: string, options: Options) => {
      const { trialId, calls } = await withDb(io, async (db) => {
        const { trial } = await pickTrial(db, ref);
        const trialId = trial.id;
        const read = options.evaluator ? readEvaluatorCalls : readCalls;
        return { trialId, calls: await read(db, { trialId }) };
      });
      if (options.json) return printJson(io, callsJson(trialId, calls));
      for (const line of renderCalls(trialId, { calls, full: options.full === true })) printLine(io, line);
    });
}
