import { estimateTokens } from '../search/context/build-messages.ts';
import type { CallRequest, CallUsage } from './call.ts';
import { createEventReader, eventsIn } from './events.ts';
import { asObject, type JsonObject, objectsIn, type ProtocolRule } from './protocol.ts';

/** Most bytes of an answer that are kept. */
export const MOST_KEPT_BYTES = 16 * 1024 * 1024;

/** Reads usage from the bytes of one answer as they pass, and keeps their text. */
export interface Meter {
  feed: (bytes: Uint8Array) => void;
  /** Call once, after the last byte. An answer with an error status costs nothing unless it reports usage. */
  end: (status: number) => Metered;
}

export interface Metered {
  body: string;
  usage: CallUsage;
  /** True if the last event of a stream has passed. */
  hasEnd: boolean;
}

/** Makes the meter of one answer. It keeps at most `mostKept` bytes, whatever the length of the answer. */
export function createMeter(rule: ProtocolRule, request: CallRequest, mostKept = MOST_KEPT_BYTES): Meter {
  const decoder = new TextDecoder();
  const kept: string[] = [];
  let bytesKept = 0;
  let isWhole = true;
  let hasEnd = false;
  let usage: JsonObject = {};
  const take = (event: JsonObject): void => {
    const reported = Object.entries(rule.usageIn(event) ?? {});
    usage = { ...usage, ...Object.fromEntries(reported.filter(([, value]) => value !== null)) };
  };
  const reader = createEventReader({
    longest: mostKept,
    // Most events of a stream have no usage; they are not parsed.
    onData: (data) => {
      if (data.includes('sage')) objectsIn([parse(data)]).forEach(take);
      hasEnd ||= rule.lastEvent.test(data);
    },
  });
  let streams: boolean | null = null;

  const feedText = (text: string, bytes: number): void => {
    if (bytesKept < mostKept) kept.push(bytes <= mostKept - bytesKept ? text : text.slice(0, mostKept - bytesKept));
    isWhole &&= bytes <= mostKept - bytesKept;
    bytesKept = Math.min(mostKept, bytesKept + bytes);
    if (streams === null && text.trim() !== '') streams = !isJson(text);
    if (streams === true) reader.feed(text);
  };

  return {
    feed: (bytes) => feedText(decoder.decode(bytes, { stream: true }), bytes.length),
    end: (status) => {
      feedText(decoder.decode(), 0);
      reader.end();
      const body = kept.join('');
      if (streams === false && isWhole) wholeAnswers(body).forEach(take);
      const reported = rule.tokensOf(usage);
      if (status < 200 || status > 299) return { body, usage: { ...reported, estimated: false }, hasEnd };
      const tokensIn = reported.tokensIn ?? estimateTokens(request.body);
      const tokensOut = reported.tokensOut ?? estimateTokens(textOf(rule, body));
      const estimated = reported.tokensIn === null || reported.tokensOut === null;
      return { body, usage: { ...reported, tokensIn, tokensOut, estimated }, hasEnd };
    },
  };
}

/** True if a body, or its first piece, begins as JSON does, and not as server-sent events. */
const isJson = (text: string): boolean => /^\s*[{[]/.test(text);

/** The text of an answer without usage; the body itself if it cannot be read, e.g. since it was cut. */
function textOf(rule: ProtocolRule, body: string): string {
  const events = isJson(body) ? wholeAnswers(body) : eventsIn(body).map(parse).map(asObject);
  const read = events.filter((event) => event !== null);
  return read.length === 0 ? body : read.map(rule.textIn).join('');
}

/** The answer that a JSON body holds. Gemini's streams that are not server-sent events are a list of answers. */
function wholeAnswers(body: string): JsonObject[] {
  const json = parse(body);
  return objectsIn(Array.isArray(json) ? json : [json]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
