import { performance } from 'node:perf_hooks';
import { type Llm, LlmError, type LlmRequest } from '../llm.ts';
import { withDeadline } from './deadline.ts';
import { endpointError, redactError, transportError } from './errors.ts';
import { exchange, type HttpAnswer } from './http-exchange.ts';
import { readKey } from './key.ts';
import { readAnswer } from './read-answer.ts';

/** Most bytes of one answer; a completion is rarely larger than a tenth of this. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export interface OpenAiOptions {
  /** See {@link readBaseUrl}; null for OpenAI's own. */
  baseUrl: string | null;
  /** Null for an endpoint without keys. */
  apiKey: string | null;
}

interface Endpoint {
  /** Base URL of requests, without a trailing slash, e.g. `https://host/v1`. */
  baseUrl: string;
  /** Query parameters of every request, e.g. an API version. */
  query: Record<string, string>;
  /** URL for messages, without user, password and query. */
  shown: string;
}

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const COMPLETIONS = '/chat/completions';

/**
 * Reads a base URL as people write it. Adds `/v1` to a bare host, removes a trailing slash or a pasted
 * `/chat/completions`, and keeps any other path. Null or empty means OpenAI's own. Throws {@link LlmError} (refused) on
 * anything else.
 */
export function readBaseUrl(text: string | null): Endpoint {
  const url = parse(text?.trim() || DEFAULT_BASE_URL);
  let path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith(COMPLETIONS)) path = path.slice(0, -COMPLETIONS.length);
  if (path === '') path = '/v1';
  const login = url.username === '' ? '' : `${url.username}:${url.password}@`;
  return {
    baseUrl: `${url.protocol}//${login}${url.host}${path}`,
    query: Object.fromEntries(url.searchParams),
    shown: `${url.origin}${path}`,
  };
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  // Shows only the start: a URL may contain a password.
  throw new LlmError(
    'expected OPENAI_BASE_URL to be an http or https URL such as http://127.0.0.1:8000/v1, ' +
      `got one that starts with ${JSON.stringify(text.slice(0, 12))}; write the scheme and the host`,
    { kind: 'refused' },
  );
}

/**
 * A model behind any endpoint that speaks OpenAI's Chat Completions. One call buys one answer, without retries: the
 * caller stores each attempt and decides on retries. Throws LlmError (refused) for an unusable URL or key.
 */
export function createOpenAiLlm({ baseUrl, apiKey }: OpenAiOptions): Llm {
  const endpoint = readBaseUrl(baseUrl);
  const key = readKey(apiKey);
  // Models that require the newer name of the token limit.
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
        throw redactError(transportError(endpoint.shown, error), key);
      }
    },
  };
}

/** Sends one request and returns the raw answer, with any status. */
function send({ baseUrl, query }: Endpoint, key: string | null, call: { body: object; signal: AbortSignal }) {
  const url = new URL(`${baseUrl}${COMPLETIONS}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'perpetua',
    ...(key !== null && { authorization: `Bearer ${key}` }),
  };
  return exchange(url, { headers, body: JSON.stringify(call.body), signal: call.signal }, MAX_ANSWER_BYTES);
}

/** Body of a request. `newLimit`: with the newer name of the token limit, which older servers do not know. */
function toBody({ model, messages, temperature, maxTokens }: LlmRequest, newLimit: boolean): object {
  const limit = newLimit ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
  return { model, messages, temperature, ...limit };
}

function asksForNewLimit({ status, body }: HttpAnswer): boolean {
  return (status === 400 || status === 422) && body.includes('max_completion_tokens');
}
