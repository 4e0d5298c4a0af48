import { asObject, type JsonObject, joinTexts, objectsIn, type ProtocolRule, readBody } from '../protocol.ts';
import { sumOf, tokenCount } from '../protocol.ts';

/** Anthropic's Messages. */
export const MESSAGES: ProtocolRule = {
  name: 'messages',
  title: "Anthropic's Messages",
  variables: { baseUrl: 'ANTHROPIC_BASE_URL', apiKey: 'ANTHROPIC_API_KEY' },
  path: /^(?<target>\/v1\/messages)$/,
  shownPath: 'POST /v1/messages',
  query: ['beta'],
  keyHeader: (key) => ({ 'x-api-key': key }),
  read: (_path, body) => readBody(body),
  asksForUsage: false,
  usageIn: (event) => (event.type === 'message_start' ? usageAtStart(event) : asObject(event.usage)),
  tokensOf: (usage) => {
    const read = tokenCount(usage.cache_read_input_tokens);
    return {
      // Unlike the other protocols, `input_tokens` does not include cached tokens.
      tokensIn: sumOf(tokenCount(usage.input_tokens), read, tokenCount(usage.cache_creation_input_tokens)),
      tokensOut: tokenCount(usage.output_tokens),
      tokensCached: read,
      tokensReasoning: null,
    };
  },
  lastEvent: /"type"\s*:\s*"message_stop"/,
  textIn: (event) => {
    const delta = asObject(event.delta);
    if (delta !== null) return joinTexts(delta.text, delta.partial_json, delta.thinking);
    const parts = [...objectsIn(event.content), asObject(event.content_block) ?? {}];
    return parts.map((part) => joinTexts(part.text, part.thinking, part.name, inputText(part.input))).join('');
  },
};

/** Usage at the start of a stream. Its number of output tokens is a placeholder. */
function usageAtStart(event: JsonObject): JsonObject | null {
  const usage = asObject(asObject(event.message)?.usage);
  return usage === null ? null : { ...usage, output_tokens: null };
}

/** Input of a tool as a text. At the start of a block it is empty. */
const inputText = (input: unknown): string => {
  const object = asObject(input);
  return object === null || Object.keys(object).length === 0 ? '' : JSON.stringify(object);
};
