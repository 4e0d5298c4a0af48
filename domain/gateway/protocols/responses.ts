import { asObject, bearer, joinTexts, objectsIn, type ProtocolRule, readBody, tokenCount } from '../protocol.ts';

/** OpenAI's Responses. */
export const RESPONSES: ProtocolRule = {
  name: 'responses',
  title: "OpenAI's Responses",
  variables: { baseUrl: 'OPENAI_BASE_URL', apiKey: 'OPENAI_API_KEY' },
  path: /^(?:\/v1)?(?<target>\/responses)$/,
  shownPath: 'POST /v1/responses',
  query: [],
  keyHeader: bearer,
  read: (_path, body) => readBody(body),
  asksForUsage: false,
  // The events of a stream have the whole response inside.
  usageIn: (event) => asObject((asObject(event.response) ?? event).usage),
  tokensOf: (usage) => ({
    tokensIn: tokenCount(usage.input_tokens),
    tokensOut: tokenCount(usage.output_tokens),
    tokensCached: tokenCount(asObject(usage.input_tokens_details)?.cached_tokens),
    tokensReasoning: tokenCount(asObject(usage.output_tokens_details)?.reasoning_tokens),
  }),
  lastEvent: /"type"\s*:\s*"response\.(?:completed|incomplete|failed)"/,
  // The last events of a stream repeat what the deltas said.
  textIn: (event) =>
    typeof event.type === 'string'
      ? joinTexts(event.delta)
      : objectsIn(event.output)
          .map((item) =>
            joinTexts(item.name, item.arguments, ...objectsIn(item.content).map((part) => joinTexts(part.text))),
          )
          .join(''),
};
