import { asObject, type JsonObject, objectsIn } from '../../../domain/gateway/protocol.ts';
import { MESSAGES } from '../../../domain/gateway/protocols/messages.ts';
import type { LlmRequest } from '../../llm.ts';
import { type Endpoint, readVersionlessUrl } from '../endpoint.ts';
import { type Form, tokensIn } from '../form/form.ts';
import type { Wire } from '../wire.ts';

/** Version of the protocol that requests name. */
const VERSION = '2023-06-01';

/** Reads the base URL of an endpoint that speaks Anthropic's Messages; null: Anthropic's own. */
export const readAnthropicUrl = (text: string | null): Endpoint =>
  readVersionlessUrl(text ?? 'https://api.anthropic.com', MESSAGES.variables.baseUrl);

/** Anthropic's Messages. */
export const ANTHROPIC: Wire = {
  provider: 'anthropic',
  readUrl: readAnthropicUrl,
  pathOf: () => '/v1/messages',
  headers: (key) => ({ 'anthropic-version': VERSION, ...(key === null ? {} : MESSAGES.keyHeader(key)) }),
  bodyOf,
  completionOf,
};

function bodyOf(request: LlmRequest, form: Form): Record<string, unknown> {
  const { model, messages, temperature, tools = [] } = request;
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? content : []));
  const body: Record<string, unknown> = { ...request.body, model, max_tokens: tokensIn(form, request) };
  body.messages = messages.filter(({ role }) => role !== 'system');
  if (system.length > 0) body.system = system.join('\n\n');
  if (temperature !== null && !form.omitted.includes('temperature')) body.temperature = temperature;
  const [first] = tools;
  if (first === undefined) return body;
  body.tools = tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
  if (!form.omitted.includes('tool_choice')) body.tool_choice = { type: 'tool', name: first.name };
  return body;
}

function completionOf(json: unknown): unknown {
  const answer = asObject(json);
  if (answer?.type !== 'message') return json;
  // Blocks of other types are thoughts.
  const blocks = objectsIn(answer.content);
  const content = blocks.filter(({ type }) => type === 'text');
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  const message = {
    content: content.length === 0 ? null : content,
    tool_calls: calls.map(({ name, input }) => ({ function: { name, arguments: input } })),
  };
  return {
    model: answer.model,
    choices: [{ finish_reason: answer.stop_reason, message }],
    usage: usageOf(asObject(answer.usage)),
  };
}

function usageOf(usage: JsonObject | null): object | null {
  if (usage === null) return null;
  const { tokensIn: prompt, tokensOut, tokensCached } = MESSAGES.tokensOf(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: tokensOut,
    prompt_tokens_details: { cached_tokens: tokensCached },
  };
}
