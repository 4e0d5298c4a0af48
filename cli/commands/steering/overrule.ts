import type { Command } from 'commander';
import { describeIssue, OverrideVerdictArgs } from '../../../domain/messages.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import { describeOverruling } from '../../../view/steering/results.ts';
import { pickTrial } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { refused } from '../../errors.ts';
import { printJson, printLine, type Io } from '../../io.ts';
import { updateResearch } from '../../steering/update-research.ts';

interface Options {
  message: string;
  json?: boolean;
}

export function registerOverrule(program: Command, io: Io): void {
  program
    .command('overrule <trial> <verdict>')
    .description("Replace the gate's verdict on a trial by yours: keep or discard.")
    .requiredOption('-m, --message <reason>', 'why, 1 to 1000 characters')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample: npx perpetua overrule nano-lm/12 discard -m "it reads the test data"')
    .action((trial: string, verdict: string, options: Options) => overrule(io, { trial, verdict, options }));
}

async function overrule(io: Io, input: { trial: string; verdict: string; options: Options }): Promise<void> {
  const { research, trial } = await withDb(io, (db) => pickTrial(db, input.trial));
  const change = { n: trial.n, verdict: input.verdict, reason: input.options.message };
  const parsed = OverrideVerdictArgs.safeParse(change);
  if (!parsed.success) throw refused(`Expected a verdict with a reason; ${describeIssue(parsed.error, change)}.`);
  const before = trial.verdict;
  await updateResearch(io, {
    id: research.id,
    name: 'overrideVerdict',
    args: parsed.data,
    onRepeat: 'Repeat the command: the result is the same.',
  });
  const { n, verdict } = parsed.data;
  if (input.options.json === true) return printJson(io, { workflowId: research.id, n, before, after: verdict });
  printLine(io, describeOverruling(trialIdOf(research.id, n), before, verdict));
}
