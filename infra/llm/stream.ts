import { parseJson } from './form/texts.ts';
import { findReportedError } from './reported-error.ts';

/** True if a body consists of server-sent events; some endpoints send them although nobody requested a stream. */
export const isStream = (body: string): boolean => /^\ufeff?\s*(?:data|event|id|retry)?:/.test(body);

/** Data of one server-sent event. */
interface ServerEvent {
  name: string | null;
  data: string;
}

/** The events of a body, by the rules of the HTML standard: any line ends, comments, data of several lines. */
function* eventsIn(body: string): Generator<ServerEvent> {
  let name: string | null = null;
  let data: string[] = [];
  // The empty line at the end dispatches an event that the endpoint did not end.
  for (const line of [...body.replace(/^\ufeff/, '').split(/\r\n|\n|\r/), '']) {
    if (line === '') {
      if (data.length > 0) yield { name, data: data.join('\n') };
      [name, data] = [null, []];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
  }
}

/** Parts of a completion that its chunks have given so far. */
interface Assembled {
  content: unknown[];
  /** Tool calls by their index, with the arguments as far as they came. */
  calls: Map<number, { name: string; arguments: string }>;
  refusal: string;
  finishReason: string | null;
  model: unknown;
  usage: unknown;
  error: unknown;
  /** True if a choice came, also one without text. */
  hasChoice: boolean;
  isDone: boolean;
}

interface Chunk {
  model?: unknown;
  usage?: unknown;
  error?: unknown;
  choices?: unknown;
}

/**
 * The completion that a body of server-sent events gives, in the form of an answer without a stream. An error within
 * the stream, or a stream that ends before its last chunk, is its `error`.
 */
export function readStream(body: string): unknown {
  const whole: Assembled = {
    content: [],
    calls: new Map(),
    refusal: '',
    finishReason: null,
    model: undefined,
    usage: undefined,
    error: undefined,
    hasChoice: false,
    isDone: false,
  };
  for (const event of eventsIn(body)) {
    if (event.data.trim() === '[DONE]') {
      whole.isDone = true;
      break;
    }
    const chunk = parseJson(event.data);
    if (event.name === 'error') whole.error ??= chunk ?? event.data;
    else if (typeof chunk === 'object' && chunk !== null) addChunk(whole, chunk);
    else whole.error ??= { code: CUT, message: `a chunk of the stream is no JSON: ${event.data.slice(0, 200)}` };
  }
  return completionOf(whole);
}

/** Status that stands for a stream which broke off. */
const CUT = 502;

function addChunk(whole: Assembled, chunk: Chunk): void {
  whole.model ??= chunk.model ?? undefined;
  whole.usage = chunk.usage ?? whole.usage;
  whole.error ??= chunk.error ?? undefined;
  const choices: unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
  // A chunk without choices may be an error, or an event of another protocol.
  if (!Array.isArray(chunk.choices) && chunk.usage === undefined && findReportedError(chunk) !== null)
    whole.error ??= chunk;
  for (const choice of choices) {
    const { index, delta, message, text, finish_reason: reason, error } = (choice ?? {}) as Record<string, unknown>;
    if (typeof index === 'number' && index > 0) continue;
    whole.hasChoice = true;
    whole.error ??= error ?? undefined;
    if (typeof reason === 'string') whole.finishReason = reason;
    const given = (delta ?? message ?? {}) as Record<string, unknown>;
    const { content, refusal } = given;
    addCalls(whole.calls, given.tool_calls);
    const part = content ?? text;
    if (Array.isArray(part)) whole.content.push(...(part as unknown[]));
    else if (part !== undefined && part !== null) whole.content.push(part);
    if (typeof refusal === 'string') whole.refusal += refusal;
  }
}

/** Adds the parts of tool calls. A part without an index, or with an id of its own, begins the next call. */
function addCalls(calls: Assembled['calls'], parts: unknown): void {
  for (const part of Array.isArray(parts) ? (parts as unknown[]) : []) {
    const { index, id, function: called } = (part ?? {}) as Record<string, unknown>;
    const { name, arguments: given } = (called ?? {}) as Record<string, unknown>;
    const begins = typeof id === 'string' && id !== '' && typeof name === 'string' && name !== '';
    const last = Math.max(0, calls.size - 1);
    const unnumbered = begins ? calls.size : last;
    const at = typeof index === 'number' ? index : unnumbered;
    const call = calls.get(at) ?? { name: '', arguments: '' };
    if (typeof name === 'string' && call.name === '') call.name = name;
    if (typeof given === 'string') call.arguments += given;
    else if (typeof given === 'object' && given !== null) call.arguments = JSON.stringify(given);
    calls.set(at, call);
  }
}

function completionOf({ isDone, hasChoice, ...whole }: Assembled): object {
  const isCut = !isDone && whole.finishReason === null;
  const cut = isCut ? { code: CUT, message: 'the stream ended before its last chunk' } : undefined;
  const error = whole.error ?? cut;
  const message = {
    content: whole.content.length === 0 ? null : whole.content,
    refusal: whole.refusal === '' ? null : whole.refusal,
    ...(whole.calls.size > 0 && { tool_calls: [...whole.calls.values()].map((called) => ({ function: called })) }),
  };
  return {
    model: whole.model,
    usage: whole.usage,
    choices: hasChoice ? [{ message, finish_reason: whole.finishReason }] : [],
    ...(error !== undefined && { error }),
  };
}
