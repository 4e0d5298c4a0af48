import type { CallRequest } from './call.ts';
import { asObject, type JsonObject, type ProtocolRule } from './protocol.ts';

/** A request that can leave. */
export interface ReadRequest {
  request: CallRequest;
  /** True if the gateway asked for usage, which the caller did not. */
  asksForUsage: boolean;
}

/** Reads a request of a caller; null if its body is no JSON object. Asks for usage in streams that have none. */
export function readRequest(rule: ProtocolRule, path: string, text: string): ReadRequest | null {
  const body = parseObject(text);
  if (body === null) return null;
  const { model, streams } = rule.read(path, body);
  const asksForUsage = rule.asksForUsage && streams && asObject(body.stream_options)?.include_usage !== true;
  return {
    request: { protocol: rule.name, path, model, streams, body: asksForUsage ? withUsage(text, body) : text },
    asksForUsage,
  };
}

function parseObject(text: string): JsonObject | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Adds `stream_options.include_usage`. The rest of the text stays as it is: numbers may exceed JavaScript's. */
function withUsage(text: string, body: JsonObject): string {
  if (body.stream_options !== undefined)
    return JSON.stringify({ ...body, stream_options: { ...asObject(body.stream_options), include_usage: true } });
  // A stream names at least `stream`, so that another member follows.
  return text.replace('{', '{"stream_options":{"include_usage":true},');
}
