import { performance } from 'node:perf_hooks';
import OpenAI from 'openai';
import type { Llm, LlmRequest } from '../llm.ts';
import { readBaseUrl, type Endpoint } from './base-url.ts';
import { withDeadline } from './deadline.ts';
import { endpointError, forPeople, transportError } from './errors.ts';
import { exchange, type HttpAnswer } from './http-exchange.ts';
import { readKey } from './key.ts';
import { readAnswer } from './read-answer.ts';

/** Bytes of one answer; a completion is rarely larger than a tenth of it. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** The package's own timer, which must never be the first: our deadline covers the body too. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

export interface OpenAiOptions {
  /** See {@link readBaseUrl}; null for OpenAI's own. */
  baseUrl: string | null;
  /** Null for an endpoint that wants none. */
  apiKey: string | null;
}

/**
 * A model behind any endpoint that speaks OpenAI's Chat Completions. One call buys one answer: the caller stores each
 * attempt, so retries belong to it. Throws LlmError (refused) on a URL or key that cannot be used.
 */
export function createOpenAiLlm({ baseUrl, apiKey }: OpenAiOptions): Llm {
  const endpoint = readBaseUrl(baseUrl);
  const key = readKey(apiKey);
  const newLimit = new Set<string>();

  const post = async (request: LlmRequest, signal: AbortSignal) => {
    const first = await send(endpoint, key, { body: toBody(request, newLimit.has(request.model)), signal });
    if (newLimit.has(request.model) || !asksForNewLimit(first)) return first;
    newLimit.add(request.model);
    return await send(endpoint, key, { body: toBody(request, true), signal });
  };

  return {
    complete: async (request, signal) => {
      const started = performance.now();
      try {
        const answer = await withDeadline((inner) => post(request, inner), {
          seconds: request.deadlineSeconds,
          signal,
        });
        if (answer.status < 200 || answer.status > 299) throw endpointError(endpoint.shown, answer);
        const read = readAnswer(answer.body, { model: request.model, shown: endpoint.shown, key });
        return { ...read, latencySeconds: (performance.now() - started) / 1000 };
      } catch (error) {
        signal.throwIfAborted();
        throw forPeople(transportError(endpoint.shown, error), key);
      }
    },
  };
}

/** Sends one request through the package and returns the raw answer, whatever its status. */
async function send(
  endpoint: Endpoint,
  key: string | null,
  call: { body: Body; signal: AbortSignal },
): Promise<HttpAnswer> {
  const seen: { answer?: HttpAnswer; failure?: unknown } = {};
  const client = new OpenAI({
    baseURL: endpoint.baseUrl,
    defaultQuery: endpoint.query,
    // The package insists on a key; where there is none, no header goes out.
    apiKey: key ?? 'none',
    ...(key === null && { defaultHeaders: { Authorization: null } }),
    adminAPIKey: null,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    // Its log goes to stdout, which is machine output here, and holds prompts.
    logLevel: 'off',
    // The package's errors drop half of what an endpoint says, so it only learns that an answer came.
    fetch: async (url, init) => {
      try {
        seen.answer = await exchange(new URL(url instanceof Request ? url.url : url), init ?? {}, MAX_ANSWER_BYTES);
      } catch (error) {
        seen.failure = error;
        throw error;
      }
      return new Response(null, { status: 200 });
    },
  });
  try {
    await client.chat.completions.create(call.body, { signal: call.signal }).asResponse();
  } catch (error) {
    throw seen.failure ?? error;
  }
  if (seen.answer === undefined) throw new Error('expected the openai package to send a request, it sent none');
  return seen.answer;
}

/** `newLimit`: newer models want the limit under another name, which older servers do not know. */
function toBody({ model, messages, temperature, maxTokens }: LlmRequest, newLimit: boolean): Body {
  const limit = newLimit ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
  return { model, messages, temperature, ...limit };
}

function asksForNewLimit({ status, body }: HttpAnswer): boolean {
  return (status === 400 || status === 422) && body.includes('max_completion_tokens');
}
