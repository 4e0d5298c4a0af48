import { asObject, joinTexts, objectsIn, type ProtocolRule, sumOf, tokenCount } from '../protocol.ts';

const PATH =
  /^(?<target>\/v1(?:alpha|beta)?\/models\/(?<model>\w[\w.-]*):(?<method>generateContent|streamGenerateContent))$/;

/** Gemini's generateContent. */
export const GEMINI: ProtocolRule = {
  name: 'gemini',
  title: "Gemini's generateContent",
  variables: { baseUrl: 'GOOGLE_GEMINI_BASE_URL', apiKey: 'GEMINI_API_KEY' },
  path: PATH,
  shownPath: 'POST /v1beta/models/MODEL:generateContent and :streamGenerateContent',
  query: ['alt'],
  keyHeader: (key) => ({ 'x-goog-api-key': key }),
  read: (path) => {
    const { model = null, method } = PATH.exec(path)?.groups ?? {};
    return { model, streams: method === 'streamGenerateContent' };
  },
  asksForUsage: false,
  usageIn: (event) => asObject(event.usageMetadata),
  tokensOf: (usage) => {
    const thoughts = tokenCount(usage.thoughtsTokenCount);
    return {
      tokensIn: sumOf(tokenCount(usage.promptTokenCount), tokenCount(usage.toolUsePromptTokenCount)),
      // The candidates do not include thoughts. An answer of thoughts alone has no candidates.
      tokensOut: sumOf(tokenCount(usage.candidatesTokenCount) ?? (thoughts === null ? null : 0), thoughts),
      tokensCached: tokenCount(usage.cachedContentTokenCount),
      tokensReasoning: thoughts,
    };
  },
  lastEvent: /"finishReason"\s*:/,
  textIn: (event) =>
    objectsIn(event.candidates)
      .flatMap((candidate) => objectsIn(asObject(candidate.content)?.parts))
      .map((part) => joinTexts(part.text, part.functionCall === undefined ? '' : JSON.stringify(part.functionCall)))
      .join(''),
};
