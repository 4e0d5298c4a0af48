import { ApplicationFailure } from '@temporalio/activity';
import { describeEmptyPool } from '../../domain/fleet/empty-pool.ts';
import { memoryShortage } from '../../domain/fleet/memory.ts';
import { askedModel, lacksModelOf } from '../../domain/llm/asked-model.ts';
import { choiceName } from '../../domain/method/axis.ts';
import { findProposer } from '../../domain/search/proposer/find-proposer.ts';
import { choiceFor, chooserOf, factsOf, makersOf, needsOfMaker } from '../../domain/search/proposer/makers.ts';
import { proposerOf } from '../../domain/search/proposer/table.ts';
import { specialistProblems } from '../../domain/search/specialist/specialist-problems.ts';
import { pathText, sentenceOf } from '../../domain/issue/problem.ts';
import { asksNothing, needsOf } from '../../domain/tools/needs.ts';
import { diskShortage } from '../../domain/task/disk-shortage.ts';
import type { Budget } from '../../domain/schema/budget.ts';
import type { Task } from '../../domain/task/task.ts';
import type { SandboxMode } from '../../infra/compute.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import type { ActivityDeps, PickDeps } from '../deps.ts';
import { offeredModels } from '../propose/offered-models.ts';
import { findListProblem } from './find-list-problem.ts';
import { requireAgents } from './require-agent.ts';
import { refuse } from './refuse.ts';
import { sandboxOf, type Author } from './sandbox-of.ts';

/** Refuses, with the key's path, a research whose trials could never run here and would wait without end. */
export async function requireRunnable(
  deps: ActivityDeps,
  research: Omit<Author, 'proposer'> & { proposer: string; task: Task; budget: Budget; loaded?: LoadedTask },
): Promise<void> {
  const { task, budget, researchId, loaded = null } = research;
  const proposer = choiceFor(research.proposer, task.search);
  // Throws UnknownMethod for a stored proposer of a newer version. That is retried, so that the research does not end.
  proposerOf(proposer);
  chooseProposer(deps, task, research.proposer);
  const search = { ...task.search, proposer: proposer as Task['search']['proposer'] };
  if (loaded !== null) requireOwnedFiles({ ...task, search }, loaded.mutablePaths);
  const listProblem = await findListProblem(deps, { researchId, task: { ...task, search }, loaded });
  if (listProblem !== null) throw refuse(listProblem, 'BadTask');
  await requireSandbox(deps, task, await sandboxOf(deps.store, task, { ...research, proposer }));
  await requirePool(deps, task);
  requirePrice(deps, { task, proposer, usd: budget.usd });
  await requireAgents(deps, { task, proposer, usd: budget.usd });
}

/** Refuses a specialist that owns no mutable file: each of its answers would be bought and rejected. */
export function requireOwnedFiles(task: Task, mutablePaths: readonly string[]): void {
  const [problem] = specialistProblems(task, mutablePaths);
  if (problem !== undefined) throw refuse(`${pathText(problem.path)}: ${sentenceOf(problem)}`, 'BadTask');
}

/**
 * The name of the requested proposer; for `auto`, of the first whose needs are met. Refuses if this worker cannot run
 * it.
 */
export function chooseProposer(
  deps: PickDeps<'models', 'llm' | 'llmModel' | 'native' | 'hasTrainer' | 'canLearn' | 'hasOptimizer'>,
  task: Task,
  asked: string | undefined,
): string {
  const { chosen, problem } = findProposer(task, {
    asked,
    model: lacksModelOf(offeredModels(deps.models), task),
    policy: deps.models.hasTrainer(),
    learning: deps.models.canLearn(),
    optimizer: deps.models.hasOptimizer(),
  });
  if (problem !== null) throw refuse(problem, 'BadTask');
  return proposerOf(chosen).name;
}

/** Refuses a task whose runs require a sandbox if its pool cannot keep a run from the network and from our servers. */
export async function requireSandbox(
  deps: PickDeps<'pools', 'protections'>,
  task: Task,
  mode: SandboxMode,
): Promise<void> {
  if (mode !== 'required') return;
  const protections = await deps.pools.protections('required', task.run.resources.pool);
  // Null: no host of the pool answers. Each launch checks the sandbox again.
  if (protections === null || protections.network) return;
  throw refuse(
    `run.sandbox: required, but no sandbox is available here. ${protections.exposure} ${protections.notes.join(' ')} ` +
      'Or set run.sandbox: preferred; such runs then start, and their trials are untrusted',
    'NoSandbox',
  );
}

/** Refuses a task whose pool has no slots: its trials would wait without end. */
export async function requirePool(deps: PickDeps<'pools', 'slotsOf'>, { run }: Task): Promise<void> {
  const { pool } = run.resources;
  if ((await deps.pools.slotsOf(pool)) === 0) throw refuse(`run.resources.pool: ${describeEmptyPool(pool)}`, 'BadTask');
}

/**
 * Refuses a task that needs more memory or disk space than any host of its pool has: its trials would wait without end.
 */
export async function requireSize(deps: Sizes, task: Task): Promise<void> {
  const { memory, room } = await findTooLarge(deps, task);
  const problem = memory ?? room;
  if (problem !== null) throw refuse(problem, 'BadTask');
}

/** Refuses a task that names programs or folders which no host of its pool has: each host would refuse its runs. */
export async function requireTools(deps: PickDeps<'pools', 'lacks'>, task: Task): Promise<void> {
  const problems = await findMissingTools(deps, task);
  if (problems.length > 0) throw refuse(problems.join('\n'), 'BadTask');
}

/** Tools and folders that the task names and no host of its pool has, a sentence for each. */
export const findMissingTools = async (deps: PickDeps<'pools', 'lacks'>, task: Task): Promise<string[]> => {
  const needs = needsOf(task);
  return asksNothing(needs) ? [] : deps.pools.lacks(needs, task.run.resources.pool);
};

type Sizes = PickDeps<'pools', 'diskSizeMb' | 'memoryIn'>;

/** Reasons why no run of the task can ever have its memory, or its disk space, in the pool; null: a run can. */
export async function findTooLarge(deps: Sizes, task: Task): Promise<{ memory: string | null; room: string | null }> {
  const { pool } = task.run.resources;
  return {
    memory: memoryShortage(task, deps.pools.memoryIn(pool)),
    room: diskShortage(task, await deps.pools.diskSizeMb(pool)),
  };
}

/**
 * Refuses a money budget to which nothing is charged: it would never end the research. Refuses a choice by USD, too, if
 * a model has no price: it would count as free.
 */
export function requirePrice(
  deps: PickDeps<'models', 'priceOf' | 'llmModel'> & { models: Pick<ActivityDeps['models'], 'native'> },
  { task, proposer, usd }: { task: Task; proposer: unknown; usd: number | undefined },
): void {
  const { needs, learners } = factsOf(proposer);
  if (usd !== undefined && learners.length > 0 && !needs.includes('model'))
    throw refuse(
      `budget.usd: ${choiceName(proposer)} runs on your own machine, where nothing is charged; ` +
        'limit budget.proposals, tokens or hours',
      'BadTask',
    );
  const isChosenByUsd = chooserOf(proposer)?.needsPrices === true;
  if (usd === undefined && !isChosenByUsd) return;
  const key = usd === undefined ? 'search.proposer.cost' : 'budget.usd';
  for (const { settings } of makersOf(proposer).filter((maker) => needsOfMaker(maker).includes('model'))) {
    const asked = askedModel(offeredModels(deps.models), { settings, llm: task.llm });
    if ('missing' in asked || deps.models.priceOf(asked.model, 1, 1) !== null) continue;
    throw refuse(
      `${key}: expected a price for ${asked.model}, found none; ` +
        `set PERPETUA_PRICES, for example {"${asked.model}": {"input": 0.25, "output": 2}}`,
      'BadTask',
    );
  }
}

/**
 * Adds the position in task.yaml to a refusal of the check. Keys in `namedElsewhere` get none: their values come from
 * the command, not from the file.
 */
export async function withYamlPosition<T>(
  { loaded, namedElsewhere }: { loaded: Pick<LoadedTask, 'positionOf'>; namedElsewhere: readonly string[] },
  check: () => T | Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    const [, key = ''] = /^([\w.]+): /.exec(error.message) ?? [];
    const position = namedElsewhere.includes(key) ? null : loaded.positionOf(key.split('.'));
    if (position === null) throw error;
    throw refuse(`${position} ${error.message}`, error.type ?? 'BadTask');
  }
}
