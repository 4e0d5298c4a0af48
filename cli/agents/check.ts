import type { Config } from '../../config/load.ts';
import type { Protocol } from '../../domain/gateway/call.ts';
import { PROTOCOL_RULES } from '../../domain/gateway/protocols.ts';
import { checkAgent, type AgentCheck } from '../../infra/agent/check-agent.ts';
import { openCheckGateway } from '../../infra/agent/check-gateway.ts';
import { createGateway } from '../../infra/gateway/create-gateway.ts';
import { readEndpoints } from '../../infra/gateway/endpoints.ts';
import { priceOf } from '../../infra/llm.ts';
import { plural } from '../../domain/text/plural.ts';
import { visible } from '../../domain/text/visible.ts';
import { configOf } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import { printJson, printLine, printNote, type Io } from '../io.ts';
import { findRecipe } from './find-recipe.ts';

/** Characters of the agent's output that a failure shows. */
const SHOWN = 1500;

/** `perpetua agents check`. */
export async function check(io: Io, options: { name: string; model?: string; json?: boolean }): Promise<void> {
  const { json } = options;
  const { name: agent, recipe, folder } = findRecipe(io, options.name);
  const config = configOf(io);
  const tell = (line: string) => (json ? printNote : printLine)(io, line);
  tell(folder === null ? `✓ the recipe in ${agent}` : `✓ ${agent} in ${folder}`);
  const endpoints = readEndpoints(config);
  const endpoint = endpoints[recipe.protocol];
  const model = options.model ?? defaultModel(config, recipe.protocol);
  const { title, variables } = PROTOCOL_RULES[recipe.protocol];
  if (endpoint === null)
    throw refused(`${agent} speaks ${title}, and no endpoint does: set ${variables.apiKey} or ${variables.baseUrl}`);
  if (model === null) throw refused(`--model: expected the model that ${agent} asks at ${endpoint.shown}, got none`);
  tell(`· asking ${model} at ${endpoint.shown} for a small edit`);
  const gateway = createGateway({
    endpoints,
    env: config.env,
    log: (line) => printNote(io, line),
    unreachableSeconds: 0,
  });
  const startGateway = () => openCheckGateway(gateway);
  const more = io.signal && { signal: io.signal };
  const checked = await checkAgent(recipe, { folder, model, startGateway, ...more });
  const usd = priceOf({ model, ...checked }, config.openai.prices);
  const { landed, calls, problem, tokensIn, tokensOut, end } = checked;
  const result = { name: agent, folder, model, landed, calls, problem, tokensIn, tokensOut, usd, seconds: end.seconds };
  if (!landed) throw new CliError('failed', describeFailure(checked), { result });
  if (json) return printJson(io, result);
  printLine(io, `✓ the edit landed in ${end.seconds.toFixed(1)} s, with ${plural(calls, 'call')}`);
  printLine(io, `✓ a call has ${perCall(tokensIn, calls)} tokens in, ${perCall(tokensOut, calls)} out`);
  if (usd === null) printLine(io, `· no price of ${model} in PERPETUA_PRICES: a budget of USD needs it`);
  else printLine(io, `✓ a call costs ${(usd / calls).toFixed(5)} USD`);
}

const perCall = (tokens: number, calls: number): number => Math.round(tokens / Math.max(1, calls));

const defaultModel = ({ openai }: Config, protocol: Protocol): string | null =>
  protocol === 'chat' || protocol === 'responses' ? openai.model : null;

/** Why no edit landed, with what to do. */
function describeFailure({ calls, problem, end }: AgentCheck): string {
  const ending = end.timedOut ? 'did not end in time' : `ended with ${end.code ?? 'a signal'}`;
  if (problem !== null) return `expected the agent to edit a file; it ${ending}, and its model's endpoint: ${problem}`;
  const reason = calls === 0 ? 'it made no call of a model' : 'the model answered, and the file is as it was';
  const output = visible(end.output.trim().slice(-SHOWN));
  return `expected the agent to edit a file; it ${ending}, and ${reason}. Its output ends:\n${output}`;
}
