import type { Protocol } from './call.ts';
import type { ProtocolRule } from './protocol.ts';
import { PROTOCOL_RULES } from './protocols.ts';

/** The way of a request through the gateway. */
export type Route =
  | { kind: 'call'; rule: ProtocolRule; target: string }
  /** Costs no tokens, so that no row counts it. */
  | { kind: 'question'; protocol: Protocol; target: string }
  /** Answered by the gateway. */
  | { kind: 'alive' };

/** Finds the route of a request by its path, without the query; null if the gateway does not pass it. */
export function routeOf(method: string, path: string, isAnthropic: boolean): Route | null {
  if (method === 'HEAD' && path === '/') return { kind: 'alive' };
  if (method === 'GET') return routeOfModels(path, isAnthropic);
  if (method !== 'POST') return null;
  if (path === '/v1/messages/count_tokens') return { kind: 'question', protocol: 'messages', target: path };
  for (const rule of Object.values(PROTOCOL_RULES)) {
    const target = rule.path.exec(path)?.groups?.target;
    if (target !== undefined) return { kind: 'call', rule, target };
  }
  return null;
}

/** OpenAI and Anthropic list models at the same path. Anthropic's clients send a header with a version. */
function routeOfModels(path: string, isAnthropic: boolean): Route | null {
  if (!/^(?:\/v1)?\/models(?:\/[A-Za-z0-9][\w.-]*)?$/.test(path)) return null;
  const target = path.replace(/^\/v1/, '');
  return isAnthropic
    ? { kind: 'question', protocol: 'messages', target: `/v1${target}` }
    : { kind: 'question', protocol: 'chat', target };
}

/** The requests that the gateway passes, for people. */
export const PASSED: string = [
  ...Object.values(PROTOCOL_RULES).map((rule) => rule.shownPath),
  'POST /v1/messages/count_tokens',
  'GET /v1/models',
].join(', ');
