import { createHash } from 'node:crypto';
import type { Research } from '../../../db/research/research.ts';
import type { AgentRun } from '../../../domain/agent/agent-run.ts';
import { AGENT_HOME, AGENT_PROMPT } from '../../../domain/agent/agent-script.ts';
import { prepareAgent } from '../../../domain/agent/prepare.ts';
import { GATEWAY_URL } from '../../../domain/gateway/address.ts';
import type { CommandSettings } from '../../../domain/search/proposer/command.ts';
import { agentPromptOf } from '../prompt/messages-of.ts';
import type { ProposeContext } from '../propose-context.ts';

/** The agent's run for a trial; a string: why no agent can run on this worker, with the remedy. */
export async function agentRunOf(
  context: ProposeContext,
  { research, settings }: { research: Research; settings: CommandSettings },
): Promise<AgentRun | string> {
  const { deps, trial, version } = context;
  const { agent, sessions, model: asked, ...limits } = settings;
  const installed = typeof agent === 'string' ? deps.agents.find(agent) : { recipe: agent, folder: null, readable: [] };
  if ('missing' in installed) return installed.missing;
  const { recipe, folder, readable } = installed;
  const missing = deps.gateway.lacks(recipe.protocol);
  if (missing !== null) return missing;
  const model = asked ?? version.task.llm.model ?? deps.models.llmModel;
  if (model === undefined) return 'no model is named; set search.proposer.model, llm.model or OPENAI_MODEL';
  const prepared = prepareAgent(recipe, {
    home: AGENT_HOME,
    prompt: AGENT_PROMPT,
    model,
    gateway: GATEWAY_URL,
    agent: folder,
    session: uuidOf(trial.id),
  });
  return {
    trialId: trial.id,
    protocol: recipe.protocol,
    model,
    prompt: await promptWithin(context, { research, bytes: recipe.promptBytes ?? MOST_PROMPT_BYTES }),
    command: recipe.command,
    resume: sessions === 'kept' ? (recipe.resume ?? null) : null,
    transcript: recipe.transcript ?? null,
    env: prepared.env,
    files: Object.fromEntries(prepared.files.map(({ path, text }) => [path, text])),
    folder,
    readable: [...recipe.readable, ...readable],
    limits: { ...limits, tokens: limits.tokens ?? null, usd: limits.usd ?? null },
  };
}

/** Bytes of a prompt that an agent reads from a file. */
const MOST_PROMPT_BYTES = 400_000;

/** The prompt of at most so many bytes. */
async function promptWithin(
  context: ProposeContext,
  { research, bytes }: { research: Research; bytes: number },
): Promise<string> {
  const prompt = await agentPromptOf(context, research);
  const length = Buffer.byteLength(prompt);
  if (length <= bytes) return prompt;
  return agentPromptOf(context, research, Math.floor((prompt.length * bytes) / length / 2));
}

/** A UUID (version 8) that is always the same for a trial. */
function uuidOf(trialId: string): string {
  const hex = createHash('sha256').update(trialId).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
