import { asObject, bearer, joinTexts, objectsIn, type ProtocolRule, readBody, tokenCount } from '../protocol.ts';

/** OpenAI's Chat Completions. */
export const CHAT: ProtocolRule = {
  name: 'chat',
  title: "OpenAI's Chat Completions",
  variables: { baseUrl: 'OPENAI_BASE_URL', apiKey: 'OPENAI_API_KEY' },
  path: /^(?:\/v1)?(?<target>\/chat\/completions)$/,
  shownPath: 'POST /v1/chat/completions',
  query: [],
  keyHeader: bearer,
  read: (_path, body) => readBody(body),
  asksForUsage: true,
  usageIn: (event) => asObject(event.usage),
  tokensOf: (usage) => ({
    tokensIn: tokenCount(usage.prompt_tokens),
    tokensOut: tokenCount(usage.completion_tokens),
    // DeepSeek reports cached tokens by a name of its own.
    tokensCached: tokenCount(asObject(usage.prompt_tokens_details)?.cached_tokens ?? usage.prompt_cache_hit_tokens),
    tokensReasoning: tokenCount(asObject(usage.completion_tokens_details)?.reasoning_tokens),
  }),
  lastEvent: /^\s*\[DONE\]/,
  textIn: (event) =>
    objectsIn(event.choices)
      .map((choice) => asObject(choice.delta ?? choice.message) ?? {})
      .map((said) => {
        const calls = objectsIn(said.tool_calls).map((call) => asObject(call.function) ?? {});
        const called = calls.map((call) => joinTexts(call.name, call.arguments));
        return joinTexts(said.content, said.refusal, said.reasoning_content ?? said.reasoning, ...called);
      })
      .join(''),
};
