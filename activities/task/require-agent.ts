import type { AskedAgent } from '../../domain/search/proposer/command.ts';
import { asSettings } from '../../domain/method/axis.ts';
import { makersOf } from '../../domain/search/proposer/makers.ts';
import type { Task } from '../../domain/task/task.ts';
import { needsOf } from '../../domain/tools/needs.ts';
import { AGENT_POOL } from '../../domain/agent/agent-pool.ts';
import type { PickDeps } from '../deps.ts';
import { refuse } from './refuse.ts';

type Deps = PickDeps<'agents', 'find'> &
  PickDeps<'gateway', 'lacks'> &
  PickDeps<'models', 'priceOf' | 'llmModel'> &
  PickDeps<'pools', 'protections' | 'lacks'>;

/**
 * Refuses a choice that may name a coding agent if this worker cannot run it: the agent is not installed, the machine
 * lacks what the task requires, no endpoint speaks the agent's protocol, its model has no price although money is
 * limited, or no sandbox keeps it from the network.
 */
export async function requireAgents(
  deps: Deps,
  { task, proposer, usd }: { task: Task; proposer: unknown; usd: number | undefined },
): Promise<void> {
  const asked = makersOf(proposer).filter(({ method }) => method.runs === 'job');
  for (const { settings } of asked) await requireAgent(deps, { task, usd, asked: asSettings(settings) });
  if (asked.length > 0) await requireOwnNetwork(deps);
}

async function requireAgent(
  deps: Deps,
  { task, usd, asked }: { task: Task; usd: number | undefined; asked: AskedAgent },
): Promise<void> {
  const found = typeof asked.agent === 'string' ? deps.agents.find(asked.agent) : { recipe: asked.agent };
  if ('missing' in found) throw refuse(`search.proposer.agent: ${found.missing}`, 'BadTask');
  // The agent's machine may be another one than those of the task's pool. It needs what the task needs.
  const needs = needsOf(task);
  const readable = [...needs.readable, ...found.recipe.readable];
  const [unseen] = await deps.pools.lacks({ ...needs, readable }, AGENT_POOL);
  if (unseen !== undefined) throw refuse(`search.proposer.agent: ${unseen}`, 'BadTask');
  const missing = deps.gateway.lacks(found.recipe.protocol);
  if (missing !== null) throw refuse(`search.proposer.agent: ${missing}`, 'BadTask');
  const model = asked.model ?? task.llm.model ?? deps.models.llmModel;
  if (model === undefined)
    throw refuse('search.proposer.model: expected the name of a model, got none; set it, or OPENAI_MODEL', 'BadTask');
  const limited = usd === undefined ? 'search.proposer.usd' : 'budget.usd';
  if ((usd ?? asked.usd) !== undefined && deps.models.priceOf(model, 1, 1) === null)
    throw refuse(
      `${limited}: expected a price for ${model}, found none; ` +
        `set PERPETUA_PRICES, for example {"${model}": {"input": 0.25, "output": 2}}`,
      'BadTask',
    );
}

async function requireOwnNetwork(deps: Deps): Promise<void> {
  const protections = await deps.pools.protections('required', AGENT_POOL);
  if (protections?.sandboxed === true && protections.network) return;
  const { exposure = '', notes = [] } = protections ?? {};
  const why = [
    'search.proposer: expected a machine whose sandbox has a network of its own, since a coding agent reaches only ' +
      'the model gateway there; found none.',
    exposure,
    ...notes,
  ];
  throw refuse(why.join(' ').trimEnd(), 'NoSandbox');
}
