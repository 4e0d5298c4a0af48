import type { Command } from 'commander';
import { evaluatorLlmOf } from '../../domain/schema/evaluator.ts';
import type { Task } from '../../domain/task/task.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { readEvaluatorSpend } from '../../db/reads/trial/read-evaluator-spend.ts';
import type { TrialView } from '../../db/reads/read-trial.ts';
import { CliError, refused, toCliError } from '../errors.ts';
import { printNote, printLine, printJson, type Io } from '../io.ts';
import { withSourceOffer } from '../source/offer-source.ts';
import { locateTask } from '../task/locate-task.ts';
import { describeTask, renderCheckReport, checkReportJson } from '../render/check.ts';
import { renderPromptSizes } from '../render/show/prompt-sizes.ts';
import { warnAfterRun, warnBeforeRun } from '../check/warnings.ts';
import { runOnce } from '../check/run-once.ts';
import { createProgressPrinter } from '../check/progress-printer.ts';
import { checkId } from '../../domain/research/check-id.ts';
import { parseContainmentLevel, readProtections } from '../check/protections.ts';
import { warnOfEvaluator } from '../check/warn-of-evaluator.ts';
import { warnOfSandbox } from '../check/warn-of-sandbox.ts';
import { explainFailure } from '../check/explain-failure.ts';
import { buildPrompt } from '../../domain/search/context/build-messages.ts';
import { contextOf } from '../../domain/search/context/table.ts';
import { firstPromptInput } from '../../tasks/first-prompt.ts';
import { withDb } from '../context.ts';
import { describeEmptyPool } from '../../domain/fleet/empty-pool.ts';
import { nearestKey } from '../../domain/text/nearest-key.ts';
import { countServing } from '../../db/host/fleet.ts';
import { readFleetStatus } from '../../db/reads/fleet/read-fleet.ts';

interface Options {
  json?: boolean;
  run?: boolean;
  prompt?: boolean;
}

export function registerCheck(program: Command, io: Io): void {
  program
    .command('check <task>')
    .description('Validate a task (a built-in name or a folder) and run its unmodified workspace once, for real.')
    .option('--no-run', 'only validate')
    .option('--prompt', 'print the first prompt of a model, and run nothing')
    .option('--json', 'one JSON object')
    .action((task: string, options: Options) => check(io, task, options));
}

async function check(io: Io, nameOrPath: string, options: Options): Promise<void> {
  const { loaded, task } = await locateTask(io, nameOrPath).catch(async (error: unknown) => {
    throw await withSourceOffer(error, nameOrPath);
  });
  if (options.prompt) return printPrompt(io, loaded, options);
  if (!options.json) for (const line of describeTask(loaded, options.run !== false)) printLine(io, line);
  const warnings = await warnBeforeRun(io, { loaded, withoutStack: options.run === false });
  for (const line of warnings) printNote(io, `! ${line}`);
  if (options.run === false) {
    if (options.json) printJson(io, { task: loaded.task.name, hash: loaded.hash, valid: true, warnings });
    return;
  }
  const view = await runOnStack(io, { loaded, task, options }).catch(explainStack);
  const protections = await readProtections(io, {
    task: loaded.task,
    run: { host: view.runs[0]?.host ?? null, end: parseContainmentLevel(view.runs[0]?.end) },
  });
  const after = [
    ...(await warnAfterRun(io, { loaded, view })),
    ...warnOfSandbox(io, { loaded, protections }),
    ...(await warnOfEvaluator(io, loaded)),
  ];
  for (const line of after) {
    warnings.push(line);
    printNote(io, `! ${line}`);
  }
  const asksModel = evaluatorLlmOf(loaded.task.evaluator) !== null;
  const trialId = view.trial.id;
  const evaluatorSpend = asksModel ? await withDb(io, (db) => readEvaluatorSpend(db, { trialId })) : null;
  const report = { loaded, view, protections, evaluatorSpend };
  const result = { ...checkReportJson(report), warnings };
  if (!options.json) for (const line of renderCheckReport(report)) printLine(io, line);
  const { trial } = view;
  if (trial.status !== 'completed') {
    const { message, advice } = await explainFailure(io, { loaded, view, task });
    throw new CliError(
      'failed',
      `The unmodified workspace ended as ${trial.failure ?? trial.status ?? 'nothing'}: ` +
        `${message ?? 'no message'}${advice ? `\n${advice}` : ''}`,
      { result },
    );
  }
  if (options.json) printJson(io, result);
}

async function runOnStack(
  io: Io,
  { loaded, task, options }: { loaded: LoadedTask; task: string; options: Options },
): Promise<TrialView> {
  await requireSlots(io, loaded.task);
  const researchId = checkId(loaded.task.name, Date.now());
  return runOnce(io, { task, researchId, onProgress: createProgressPrinter(io, options) });
}

/** Adds to the error of a missing stack what the stack is needed for. Throws any other error unchanged. */
function explainStack(error: unknown): never {
  const { code, message } = toCliError(error);
  if (code !== 'unreachable') throw error;
  throw new CliError(code, `To run the task once, check needs a stack: ${message}`, { cause: error });
}

/** Prints the first prompt as `llm` would send it, except for its facts about the machines. */
function printPrompt(io: Io, loaded: LoadedTask, { json }: Options): void {
  const { method } = contextOf(loaded.task.search.context);
  const { messages, sizes } = buildPrompt(firstPromptInput(loaded), method);
  if (json) return printJson(io, { task: loaded.task.name, hash: loaded.hash, messages, promptSizes: sizes });
  for (const { role, content } of messages) printLine(io, `== ${role}\n${content}\n`);
  for (const line of renderPromptSizes(sizes)) printLine(io, line);
}

/** Refuses a task whose pool has no serving host: its run would wait without end. */
export async function requireSlots(io: Io, { run }: Task): Promise<void> {
  const { pool } = run.resources;
  if (pool === 'local') return;
  const { serving, hosts } = await withDb(io, async (db) => ({
    serving: await countServing(db, pool),
    hosts: await readFleetStatus(db),
  }));
  if (serving > 0) return;
  const poolHosts = hosts.filter((host) => host.pool === pool);
  if (poolHosts.length > 0) {
    const states = poolHosts.map(({ name, state }) => `${name} is ${state}`).join('; ');
    throw refused(
      `run.resources.pool: no host of ${pool} serves (${states}). To end a drain: npx perpetua fleet resume HOST. ` +
        'To add a removed host again: npx perpetua fleet apply',
    );
  }
  const nearest = nearestKey(pool, ['local', ...new Set(hosts.map((host) => host.pool))]);
  const suggestion = nearest === null ? '' : `. Did you mean ${nearest}?`;
  throw refused(`run.resources.pool: ${describeEmptyPool(pool)}${suggestion}`);
}
