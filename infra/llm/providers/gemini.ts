import { asObject, type JsonObject, objectsIn } from '../../../domain/gateway/protocol.ts';
import { GEMINI as RULE } from '../../../domain/gateway/protocols/gemini.ts';
import type { LlmRequest, LlmTool } from '../../llm.ts';
import { type Endpoint, readVersionlessUrl } from '../endpoint.ts';
import { type Form, tokensIn } from '../form/form.ts';
import type { Wire } from '../wire.ts';

/** Reads the base URL of an endpoint that speaks Gemini's generateContent; null: Google's own. */
export const readGeminiUrl = (text: string | null): Endpoint =>
  readVersionlessUrl(text ?? 'https://generativelanguage.googleapis.com', RULE.variables.baseUrl);

/** Gemini's generateContent. */
export const GEMINI: Wire = {
  provider: 'gemini',
  readUrl: readGeminiUrl,
  // Google's lists name models as `models/NAME`.
  pathOf: (model) => `/v1beta/models/${encodeURIComponent(model.replace(/^models\//, ''))}:generateContent`,
  headers: (key) => (key === null ? {} : RULE.keyHeader(key)),
  bodyOf,
  completionOf,
};

function bodyOf(request: LlmRequest, form: Form): Record<string, unknown> {
  const { messages, temperature, body = {}, tools = [] } = request;
  const partsOf = (texts: string[]): object => ({ parts: texts.map((text) => ({ text })) });
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? content : []));
  const generationConfig = { ...asObject(body.generationConfig), maxOutputTokens: tokensIn(form, request) };
  return {
    ...body,
    ...(system.length > 0 && { systemInstruction: partsOf(system) }),
    contents: messages
      .filter(({ role }) => role !== 'system')
      .map(({ role, content }) => ({ role: role === 'assistant' ? 'model' : 'user', ...partsOf([content]) })),
    generationConfig:
      temperature === null || form.omitted.includes('temperature')
        ? generationConfig
        : { ...generationConfig, temperature },
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools }] }),
    ...(tools.length > 0 && !form.omitted.includes('tool_choice') && { toolConfig: choiceOfTool(tools) }),
  };
}

/** Asks for a call of the first tool. */
const choiceOfTool = (tools: readonly LlmTool[]): object => ({
  functionCallingConfig: { mode: 'ANY', allowedFunctionNames: tools.slice(0, 1).map(({ name }) => name) },
});

function completionOf(json: unknown): unknown {
  const answer = asObject(json);
  if (answer === null) return json;
  const blocked = asObject(answer.promptFeedback)?.blockReason;
  const [candidate] = objectsIn(answer.candidates);
  if (candidate === undefined && typeof blocked !== 'string') return json;
  return {
    model: answer.modelVersion,
    choices: [candidate === undefined ? refusedPrompt(String(blocked)) : choiceOf(candidate)],
    usage: usageOf(asObject(answer.usageMetadata)),
  };
}

/** An answer without candidates, because a filter blocked the prompt. */
const refusedPrompt = (reason: string): object => ({
  finish_reason: 'content_filter',
  message: { content: null, refusal: `the prompt was blocked: ${reason}` },
});

function choiceOf(candidate: JsonObject): object {
  const parts = objectsIn(asObject(candidate.content)?.parts);
  const texts = parts.filter(({ text, thought }) => typeof text === 'string' && thought !== true);
  const calls = objectsIn(parts.map(({ functionCall }) => functionCall));
  const message = {
    content: texts.length === 0 ? null : texts.map(({ text }) => ({ type: 'text', text })),
    tool_calls: calls.map(({ name, args }) => ({ function: { name, arguments: args } })),
  };
  return { finish_reason: candidate.finishReason, message };
}

function usageOf(usage: JsonObject | null): object | null {
  if (usage === null) return null;
  const { tokensIn: prompt, tokensOut, tokensCached, tokensReasoning } = RULE.tokensOf(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: tokensOut,
    prompt_tokens_details: { cached_tokens: tokensCached },
    completion_tokens_details: { reasoning_tokens: tokensReasoning },
  };
}
