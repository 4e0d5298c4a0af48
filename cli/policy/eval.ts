import { createHash, randomBytes } from 'node:crypto';
import {
  type EvaluationKey,
  argsOfEvaluation,
  idOfEvaluation,
} from '../../domain/learning/evaluation/define-evaluation.ts';
import { FIELD_MAXIMA } from '../../domain/schema/fields.ts';
import { choiceIn, factsOf, type Maker } from '../../domain/search/proposer/makers.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import type { Task } from '../../domain/task/task.ts';
import { readDescent } from '../../db/reads/policy/read-descent.ts';
import type { UpdateRow } from '../../db/reads/policy/read-update-rows.ts';
import type { ResearchView } from '../../db/reads/read-research.ts';
import { startOf } from '../../view/policy/descent.ts';
import { withDb } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import { type Io, printJson, printLine, printNote } from '../io.ts';
import { evaluationJson, renderEvaluation, type Evaluation } from '../render/policy/evaluation.ts';
import { locateTask } from '../task/locate-task.ts';
import { readSummary } from './evaluation/read-summary.ts';
import { runEvaluation } from './evaluation/run-evaluation.ts';
import { pickPolicy, pickUpdate } from './pick.ts';

interface EvalOptions {
  id: string;
  version: string;
  task?: string;
  samples: string;
  seed?: string;
  json?: boolean;
}

/** `perpetua policy eval`. Repeated with the same options, it continues the evaluation, or prints its result again. */
export async function evaluate(io: Io, options: EvalOptions): Promise<void> {
  const samples = parseSamples(options.samples);
  const { research, update, weights } = await withDb(io, async (db) => {
    const { research: picked } = await pickPolicy(db, options.id);
    const made = await pickUpdate(db, picked, options.version);
    return {
      research: picked,
      update: made,
      weights: made?.checkpoint ?? startOf(await readDescent(db, picked)) ?? '',
    };
  });
  const learner = requireLearner(research);
  const target = await targetOf(io, { named: options.task, research });
  const key: EvaluationKey = {
    policy: research.id,
    version: update?.k ?? 0,
    weights,
    taskHash: target.hash,
    samples,
    seed: parseSeed(options.seed) ?? randomBytes(8).toString('hex'),
  };
  const id = idOfEvaluation(key, (text) => createHash('sha256').update(text).digest('hex'));
  const command = commandOf(key, options.task);
  const evaluation = { id, key, task: target.task, checkpoint: update?.checkpoint ?? null };
  const hasEnded = (await readSummary(io, evaluation)).ended >= samples;
  if (!hasEnded) {
    requireWeights(research, update);
    if (key.seed === (research.seedRoot ?? research.id))
      printNote(io, `note: ${research.id} has the same seed root, so runs of its training have the same seeds`);
    printNote(io, `${id}; to continue it or to print its result again: ${command}`);
    const evaluated = { search: research.task.search, learner, knobs: research.task.knobs };
    const task = { location: target.location, knobs: target.task.knobs };
    const args = argsOfEvaluation(key, { task, evaluated });
    await runEvaluation(io, { id, args, task: target.task, samples, command });
  }
  await report(io, evaluation, { command, json: options.json ?? false });
}

/** Prints the result. Throws CliError with the result if the evaluation ended before all of its samples. */
async function report(
  io: Io,
  evaluation: Omit<Evaluation, 'summary'>,
  { command, json }: { command: string; json: boolean },
): Promise<void> {
  const done = { ...evaluation, summary: await readSummary(io, evaluation) };
  const isComplete = done.summary.ended >= done.key.samples;
  if (!json) for (const line of renderEvaluation(done)) printLine(io, line);
  else if (isComplete) printJson(io, evaluationJson(done));
  if (!isComplete)
    throw new CliError(
      'failed',
      `The evaluation ended after ${done.summary.ended} of ${done.key.samples} samples. To continue it: ${command}`,
      { result: evaluationJson(done) },
    );
}

interface Target {
  /** Task as workers receive it: a built-in name, an absolute path, or the hash of a stored version. */
  location: string;
  hash: string;
  task: Task;
}

/** The named task as its folder is now; without a name, the version that the policy's research runs. */
async function targetOf(
  io: Io,
  { named, research }: { named: string | undefined; research: ResearchView },
): Promise<Target> {
  if (named === undefined) return { location: research.taskHash, hash: research.taskHash, task: research.task };
  const { loaded, task: location } = await locateTask(io, named);
  return { location, hash: loaded.hash, task: loaded.task };
}

function requireLearner(research: ResearchView): Maker {
  const [learner] = factsOf(choiceIn(research)).learners;
  if (learner) return learner;
  throw refused(`Expected a research whose proposer is a policy; ${research.id} has ${research.proposer} now.`);
}

/** Refuses a version without weights. */
function requireWeights({ id }: ResearchView, update: UpdateRow | null): void {
  if (update === null) return;
  const { k, checkpoint, state, removedAt } = update;
  const list = `See: npx perpetua policy list ${id}`;
  if (checkpoint === null)
    throw refused(`Expected a version of the policy of ${id}; update ${k} made none (${state}). ${list}`);
  if (removedAt !== null)
    throw refused(`Expected a version of ${id} that still has its weights; those of ${k} were removed. ${list}`);
}

function parseSamples(text: string): number {
  const samples = Number(text);
  if (/^\d+$/.test(text) && samples >= 1 && samples <= FIELD_MAXIMA.trials) return samples;
  throw refused(`Expected --samples to be a number from 1 to ${FIELD_MAXIMA.trials}, got ${JSON.stringify(text)}.`);
}

const LONGEST_SEED = 200;

function parseSeed(text: string | undefined): string | undefined {
  if (text === undefined || (text.length >= 1 && text.length <= LONGEST_SEED && !text.includes('\0'))) return text;
  throw refused(`Expected --seed to be a text of 1 to ${LONGEST_SEED} characters without NUL.`);
}

/** The command that finds this evaluation again. */
function commandOf({ policy, version, samples, seed }: EvaluationKey, task: string | undefined): string {
  const named = task === undefined ? [] : ['--task', shellWord(task)];
  const options = [...named, '--samples', samples, '--seed', shellWord(seed)].join(' ');
  return `npx perpetua policy eval ${shellWord(policy)} ${version} ${options}`;
}
