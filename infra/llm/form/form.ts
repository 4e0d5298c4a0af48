import type { LlmRequest } from '../../llm.ts';

/** Form of the requests for one model: what its endpoint accepts of the protocol. */
export interface Form {
  /** Optional keys that are left out. */
  omitted: readonly OptionalKey[];
  /** Name of the token limit; null: no limit is sent. */
  limitKey: LimitKey | null;
  /** Names of the token limit that were refused. */
  refusedLimits: readonly LimitKey[];
  /** Most tokens of an answer that the endpoint allows; null if no request exceeded it. */
  mostTokens: number | null;
  /** True if the system's text is sent at the beginning of the first user message. */
  foldsSystem: boolean;
  /** True if the answer is requested as server-sent events. */
  streams: boolean;
}

export type OptionalKey = 'temperature' | 'stream_options' | 'tool_choice';
export type LimitKey = (typeof LIMIT_KEYS)[number];

/** Names of the token limit in compatible endpoints, in the order in which they are tried. */
export const LIMIT_KEYS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_new_tokens'] as const;

/** The form that most endpoints accept. */
export const PLAIN_FORM: Form = {
  omitted: [],
  limitKey: 'max_tokens',
  refusedLimits: [],
  mostTokens: null,
  foldsSystem: false,
  streams: false,
};

/** Tokens of an answer that a request in this form allows. */
export const tokensIn = (form: Form, { maxTokens }: Pick<LlmRequest, 'maxTokens'>): number =>
  Math.min(maxTokens, form.mostTokens ?? maxTokens);

/** Body of a request in a form. Keys that Perpetua sets replace those of `request.body`. */
export function bodyOf(request: LlmRequest, form: Form): Record<string, unknown> {
  const { model, messages, temperature, tools = [] } = request;
  const body: Record<string, unknown> = { ...request.body, model };
  body.messages = form.foldsSystem ? foldSystem(messages) : messages;
  if (temperature !== null && !form.omitted.includes('temperature')) body.temperature = temperature;
  if (form.limitKey !== null) body[form.limitKey] = tokensIn(form, request);
  const [first] = tools;
  if (first !== undefined) {
    body.tools = tools.map((tool) => ({ type: 'function', function: tool }));
    if (!form.omitted.includes('tool_choice')) body.tool_choice = { type: 'function', function: { name: first.name } };
  }
  if (form.streams) {
    body.stream = true;
    // Without it the endpoint does not count tokens.
    if (!form.omitted.includes('stream_options')) body.stream_options = { include_usage: true };
  }
  return body;
}

type Messages = LlmRequest['messages'];

/** The messages without the role `system`: its text begins the first message of the user. */
function foldSystem(messages: Messages): Messages {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const others = messages.filter(({ role }) => role !== 'system');
  const at = others.findIndex(({ role }) => role === 'user');
  const first: Messages[number] = {
    role: 'user',
    content: [...system, ...(at < 0 ? [] : [others[at]?.content ?? ''])].join('\n\n'),
  };
  return at < 0 ? [first, ...others] : others.map((message, index) => (index === at ? first : message));
}
