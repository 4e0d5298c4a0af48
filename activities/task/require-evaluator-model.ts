import { evaluatorLlmOf } from '../../domain/schema/evaluator.ts';
import type { Task } from '../../domain/task/task.ts';
import type { PickDeps } from '../deps.ts';
import { refuse } from './refuse.ts';

type Deps = PickDeps<'gateway', 'lacksAll'> &
  PickDeps<'models', 'priceOf'> & { scoring: { evaluator: { lacksGateway: () => Promise<string | null> } } };

/**
 * Refuses a task whose evaluator asks models if this worker cannot let it: no endpoint is set, the machine gives
 * evaluators no network of their own, or money is limited and the model has no price.
 */
export async function requireEvaluatorModel(
  { gateway, models, scoring }: Deps,
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
