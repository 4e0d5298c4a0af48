import type { CallRequest } from './call.ts';
import { asObject, type JsonObject, type ProtocolRule } from './protocol.ts';

/** A request that can leave. */
export interface ReadRequest {
  request: CallRequest;
  /** True if the gateway asked for usage, which the caller did not. */
  asksForUsage: boolean;
}

/** Most characters in the name of a model: it is stored with each call. */
const LONGEST_MODEL = 256;

/**
 * Reads a request of a caller; a string: why it is refused. Asks for usage in streams that have none.
 */
export function readRequest(rule: ProtocolRule, path: string, text: string): ReadRequest | string {
  const body = parseObject(text);
  if (body === null) return 'expected a JSON object as the body';
  const { model, streams } = rule.read(path, body);
  if (model !== null && model.length > LONGEST_MODEL)
    return `expected at most ${LONGEST_MODEL} characters in the name of the model, got ${model.length}`;
  // Answered at once without usage, while the work goes on at the endpoint: nothing would be charged.
  if (rule.name === 'responses' && body.background !== undefined && body.background !== false)
    return 'background: expected false, since its tokens cannot be counted';
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
