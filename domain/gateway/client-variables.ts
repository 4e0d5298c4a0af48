import { GATEWAY_URL } from './address.ts';
import { PROTOCOL_RULES } from './protocols.ts';

/** Word in place of a key, which clients require. The gateway drops it, and adds the real one. */
const NO_KEY = 'none';

/** Variables by which the clients of all protocols find the gateway. `model`: undefined if the caller names its own. */
export function clientVariables(model: string | undefined): Record<string, string> {
  const { chat, messages, gemini } = PROTOCOL_RULES;
  const openai = `${GATEWAY_URL}/v1`;
  return {
    PERPETUA_GATEWAY: GATEWAY_URL,
    ...(model === undefined ? {} : { PERPETUA_MODEL: model }),
    [chat.variables.baseUrl]: openai,
    // LiteLLM reads this variable in place of the one above.
    OPENAI_API_BASE: openai,
    [messages.variables.baseUrl]: GATEWAY_URL,
    [gemini.variables.baseUrl]: GATEWAY_URL,
    ...Object.fromEntries([chat, messages, gemini].map(({ variables }) => [variables.apiKey, NO_KEY])),
  };
}
