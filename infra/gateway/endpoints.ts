import type { Protocol } from '../../domain/gateway/call.ts';
import { PROTOCOL_RULES } from '../../domain/gateway/protocols.ts';
import { type Endpoint, readBaseUrl } from '../llm/endpoint.ts';
import { readKey } from '../llm/key.ts';
import { readAnthropicUrl } from '../llm/providers/anthropic.ts';
import { readGeminiUrl } from '../llm/providers/gemini.ts';

/** An endpoint, and its key; null for an endpoint without keys. */
export interface GatewayEndpoint extends Endpoint {
  key: string | null;
}

/** Endpoints by protocol; null for a protocol without one. */
export type GatewayEndpoints = Readonly<Record<Protocol, GatewayEndpoint | null>>;

/** URL and key as the environment of a worker gives them; null if unset. */
export interface EndpointSettings {
  baseUrl: string | null;
  apiKey: string | null;
}

/** Settings by provider. OpenAI's serve two protocols. */
export interface ProviderSettings {
  openai: EndpointSettings;
  anthropic: EndpointSettings;
  gemini: EndpointSettings;
}

/**
 * Reads the endpoints of a worker. A protocol has one if its URL or its key is set. Throws LlmError (refused) for an
 * unusable URL or key.
 */
export function readEndpoints({ openai, anthropic, gemini }: ProviderSettings): GatewayEndpoints {
  return {
    chat: readEndpoint('chat', openai, readBaseUrl),
    responses: readEndpoint('responses', openai, readBaseUrl),
    messages: readEndpoint('messages', anthropic, readAnthropicUrl),
    gemini: readEndpoint('gemini', gemini, readGeminiUrl),
  };
}

function readEndpoint(
  protocol: Protocol,
  { baseUrl, apiKey }: EndpointSettings,
  read: (text: string | null) => Endpoint,
): GatewayEndpoint | null {
  const url = baseUrl?.trim() || null;
  const key = readKey(apiKey, PROTOCOL_RULES[protocol].variables.apiKey);
  return url === null && key === null ? null : { ...read(url), key };
}

/** URL of a path below an endpoint, with the endpoint's own parameters and those of a caller that are passed on. */
export function targetUrl(
  endpoint: Endpoint,
  target: string,
  { query, passed }: { query: string; passed: readonly string[] },
): URL {
  const url = new URL(`${endpoint.baseUrl}${target}`);
  for (const [name, value] of new URLSearchParams(query)) if (passed.includes(name)) url.searchParams.set(name, value);
  for (const [name, value] of Object.entries(endpoint.query)) url.searchParams.set(name, value);
  return url;
}

/** Reason why no model answers in any protocol, with the remedy. */
export function noEndpointAtAll(): string {
  const names = [...new Set(Object.values(PROTOCOL_RULES).map(({ variables }) => variables.apiKey))];
  return (
    `no model endpoint is set: set ${names.join(' or ')}, or the URL of an endpoint, such as OPENAI_BASE_URL, ` +
    'where the worker starts (npx perpetua down, set it, npm start)'
  );
}

/** Reason why no model answers in a protocol, with the remedy. */
export function noEndpoint(protocol: Protocol): string {
  const { title, variables } = PROTOCOL_RULES[protocol];
  return (
    `no endpoint speaks ${title}: set ${variables.apiKey} or ${variables.baseUrl} where the worker starts ` +
    '(npx perpetua down, set it, npm start)'
  );
}
