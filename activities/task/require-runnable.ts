import { ApplicationFailure } from '@temporalio/activity';
import { GPU_POOL } from '../../domain/fleet/own-gpus.ts';
import { memoryShortage } from '../../domain/fleet/memory.ts';
import { choiceName } from '../../domain/method/axis.ts';
import { findProposer } from '../../domain/search/proposer/find-proposer.ts';
import { choiceFor, factsOf } from '../../domain/search/proposer/makers.ts';
import { proposerOf } from '../../domain/search/proposer/table.ts';
import { asksNothing, needsOf } from '../../domain/tools/needs.ts';
import { diskShortage } from '../../domain/task/disk-shortage.ts';
import type { Budget } from '../../domain/schema/budget.ts';
import type { Task } from '../../domain/task/task.ts';
import type { SandboxMode } from '../../infra/compute.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import type { ActivityDeps, PickDeps } from '../deps.ts';
import { sandboxOf, type Author } from './sandbox-of.ts';

/** A failure for the person who asked to open or change a research; never retried. */
export const refuse = (message: string, type: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, type);

/** Refuses, with the key's path, a task that could never run here and would wait without end. */
export async function requireRunnable(
  deps: ActivityDeps,
  of: Omit<Author, 'proposer'> & { proposer: string; task: Task; budget: Budget },
): Promise<void> {
  const proposer = choiceFor(of.proposer, of.task.search);
  // Throws UnknownMethod, which is retried, for a stored proposer of a newer version: that does not end the research.
  proposerOf(proposer);
  chooseProposer(deps, of.task, of.proposer);
  await requireSandbox(deps, of.task, await sandboxOf(deps.store, of.task, { ...of, proposer }));
  await requirePool(deps, of.task);
  requirePrice(deps, { task: of.task, proposer, usd: of.budget.usd });
}

/** The name of the requested proposer, with `auto` of the first whose needs are met; refuses if this worker cannot run it. */
export function chooseProposer(
  deps: PickDeps<'models', 'llm' | 'hasTrainer' | 'canLearn'>,
  task: Task,
  asked: string | undefined,
): string {
  const { chosen, problem } = findProposer(task, {
    asked,
    model: deps.models.llm !== undefined,
    policy: deps.models.hasTrainer(),
    learning: deps.models.canLearn(),
  });
  if (problem !== null) throw refuse(problem, 'BadTask');
  return proposerOf(chosen).name;
}

/** Refuses what needs a sandbox where its pool cannot keep a run from the network and from our servers. */
export async function requireSandbox(
  deps: PickDeps<'pools', 'protections'>,
  task: Task,
  mode: SandboxMode,
): Promise<void> {
  if (mode !== 'required') return;
  const there = await deps.pools.protections('required', task.run.resources.pool);
  // No machine of the pool answers now: each run finds out.
  if (there === null || there.network) return;
  throw refuse(
    `run.sandbox: required, and it cannot be had here. ${there.exposure} ${there.notes.join(' ')} ` +
      'Or set run.sandbox: preferred, and accept such runs and untrusted trials',
    'NoSandbox',
  );
}

/** A pool without slots would be waited for without end. */
export async function requirePool(deps: PickDeps<'pools', 'slotsOf'>, { run }: Task): Promise<void> {
  const { pool } = run.resources;
  if ((await deps.pools.slotsOf(pool)) === 0)
    throw refuse(
      `run.resources.pool: expected a pool with slots (local is this machine), got ${pool}, which has none. npx perpetua fleet shows the others, npx perpetua fleet apply adds one` +
        (pool === GPU_POOL
          ? '. npx perpetua doctor says whether this machine has GPUs, which a worker finds when it starts'
          : ''),
      'BadTask',
    );
}

/** Memory, or room on a disk, that no machine of its pool has would be waited for without end. */
export async function requireSize(deps: Sizes, task: Task): Promise<void> {
  const { memory, room } = await findTooLarge(deps, task);
  const problem = memory ?? room;
  if (problem !== null) throw refuse(problem, 'BadTask');
}

/** Programs and folders that no machine of its pool has: each run would be refused. */
export async function requireTools(deps: PickDeps<'pools', 'lacks'>, task: Task): Promise<void> {
  const problems = await findMissingTools(deps, task);
  if (problems.length > 0) throw refuse(problems.join('\n'), 'BadTask');
}

/** What the machines of its pool lack of what the task names. */
export const findMissingTools = async (deps: PickDeps<'pools', 'lacks'>, task: Task): Promise<string[]> => {
  const needs = needsOf(task);
  return asksNothing(needs) ? [] : deps.pools.lacks(needs, task.run.resources.pool);
};

type Sizes = PickDeps<'pools', 'diskSizeMb' | 'memoryIn'>;

/** Why no run of the task finds memory, or room, in its pool, ever; null where it may. */
export async function findTooLarge(deps: Sizes, task: Task): Promise<{ memory: string | null; room: string | null }> {
  const { pool } = task.run.resources;
  return {
    memory: memoryShortage(task, deps.pools.memoryIn(pool)),
    room: diskShortage(task, await deps.pools.diskSizeMb(pool)),
  };
}

/** A money budget that nothing is charged to would never end the research. */
export function requirePrice(
  deps: PickDeps<'models', 'priceOf' | 'llmModel'>,
  of: { task: Task; proposer: unknown; usd: number | undefined },
): void {
  const model = of.task.llm.model ?? deps.models.llmModel;
  const { needs, learners } = factsOf(of.proposer);
  if (of.usd !== undefined && learners.length > 0 && !needs.includes('model'))
    throw refuse(
      `budget.usd: ${choiceName(of.proposer)} runs on your own machine, where nothing is charged; limit budget.proposals, tokens or hours`,
      'BadTask',
    );
  if (of.usd === undefined || !needs.includes('model') || model === undefined) return;
  if (deps.models.priceOf(model, 1, 1) === null)
    throw refuse(
      `budget.usd: expected a price for ${model}, found none; set PERPETUA_PRICES, for example {"${model}": {"input": 0.25, "output": 2}}`,
      'BadTask',
    );
}

/** Refuses with line and column what a folder's task.yaml says; keys that a person named elsewhere have no place there. */
export async function withYamlPosition<T>(
  of: { loaded: Pick<LoadedTask, 'positionOf'>; namedElsewhere: readonly string[] },
  check: () => T | Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    const [, key = ''] = /^([\w.]+): /.exec(error.message) ?? [];
    const place = of.namedElsewhere.includes(key) ? null : of.loaded.positionOf(key.split('.'));
    if (place === null) throw error;
    throw refuse(`${place} ${error.message}`, error.type ?? 'BadTask');
  }
}
