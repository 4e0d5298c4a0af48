import { evaluatorLlmOf } from '../../domain/schema/evaluator.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ActivityDeps, PickDeps } from '../deps.ts';
import { refuse } from './refuse.ts';

type FolderDeps = PickDeps<'hosts', 'computeOf'> & PickDeps<'environments', 'ownHost'>;
type ModelDeps = PickDeps<'gateway', 'lacksAll'> &
  PickDeps<'models', 'priceOf'> & {
    scoring: { evaluator: Pick<ActivityDeps['scoring']['evaluator'], 'lacksGateway'> };
  };

interface Asked {
  task: Task;
  /** The budget in USD of the research. */
  usd: number | undefined;
}

/** Refuses a task whose evaluator could not read its folders on this machine, or could not ask its model. */
export async function requireEvaluator(deps: FolderDeps & ModelDeps, asked: Asked): Promise<void> {
  await requireEvaluatorFolders(deps, asked.task);
  await requireEvaluatorModel(deps, asked);
}

async function requireEvaluatorFolders({ hosts, environments }: FolderDeps, { evaluator }: Task): Promise<void> {
  const readable = evaluator.type === 'none' ? [] : (evaluator.readable ?? []);
  if (readable.length === 0) return;
  const problems = await hosts.computeOf(environments.ownHost).missingTools({ path: [], readable, requires: [] });
  // The adapter names the key of a run, whose user has the same rights as that of the evaluator.
  const named = problems.map((problem) => problem.replaceAll(/run\.(path, run\.)?readable/g, 'evaluator.readable'));
  if (named.length > 0) throw refuse(named.join('\n'), 'BadTask');
}

/**
 * Refuses a task whose evaluator asks models if this worker cannot let it: no endpoint is set, the machine gives
 * evaluators no network of their own, or money is limited and the model has no price.
 */
export async function requireEvaluatorModel(
  { gateway, models, scoring }: ModelDeps,
  { task, usd }: { task: Pick<Task, 'evaluator'>; usd: number | undefined },
): Promise<void> {
  const llm = evaluatorLlmOf(task.evaluator);
  if (llm === null) return;
  const endpoint = gateway.lacksAll();
  if (endpoint !== null) throw refuse(`evaluator.llm: ${endpoint}`, 'BadTask');
  const sandbox = await scoring.evaluator.lacksGateway();
  if (sandbox !== null) throw refuse(`evaluator.llm: ${sandbox}`, 'NoSandbox');
  if ((usd ?? llm.usd) === undefined) return;
  const limited = usd === undefined ? 'evaluator.llm.usd' : 'budget.usd';
  if (llm.model === undefined)
    throw refuse(
      `evaluator.llm.model: expected the name of the evaluator's model, whose price ${limited} needs; got none`,
      'BadTask',
    );
  if (models.priceOf(llm.model, 1, 1) === null)
    throw refuse(
      `${limited}: expected a price for ${llm.model}, which the evaluator asks, found none; ` +
        `set PERPETUA_PRICES, for example {"${llm.model}": {"input": 0.25, "output": 2}}`,
      'BadTask',
    );
}
