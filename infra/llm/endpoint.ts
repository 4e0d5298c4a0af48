import { LlmError } from '../llm.ts';

export interface Endpoint {
  /** Base URL of requests, without a trailing slash, e.g. `https://host/v1`. */
  baseUrl: string;
  /** Query parameters of every request, e.g. an API version. */
  query: Record<string, string>;
  /** URL for messages, without user, password and query. */
  shown: string;
}

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
export const COMPLETIONS = '/chat/completions';

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

/**
 * Reads a base URL to which a path with its version is added. Removes a version or the path of messages, if pasted.
 * Throws {@link LlmError} (refused) on anything but an http or https URL.
 */
export function readVersionlessUrl(text: string, variable: string): Endpoint {
  const url = parse(text, variable);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1(?:beta|alpha)?(?:\/(?:messages|models))?$/, '');
  const login = url.username === '' ? '' : `${url.username}:${url.password}@`;
  return {
    baseUrl: `${url.protocol}//${login}${url.host}${path}`,
    query: Object.fromEntries(url.searchParams),
    shown: `${url.origin}${path}`,
  };
}

/** URL of a path below an endpoint, with the endpoint's own parameters. */
export function urlBelow({ baseUrl, query }: Endpoint, path: string): URL {
  const url = new URL(`${baseUrl}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

function parse(text: string, variable = 'OPENAI_BASE_URL'): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  // Shows only the start: a URL may contain a password.
  throw new LlmError(
    `expected ${variable} to be an http or https URL such as http://127.0.0.1:8000/v1, ` +
      `got one that starts with ${JSON.stringify(text.slice(0, 12))}; write the scheme and the host`,
    { kind: 'refused' },
  );
}

/** URL of the chat completions of an endpoint. */
export const completionsUrl = (endpoint: Endpoint): URL => urlBelow(endpoint, COMPLETIONS);
