import { expect, test } from 'vitest';
import type { CallRequest, CallUsage, Protocol } from '../../../domain/gateway/call.ts';
import { createMeter, type Metered } from '../../../domain/gateway/meter.ts';
import { PROTOCOL_RULES } from '../../../domain/gateway/protocols.ts';

const requestOf = (protocol: Protocol): CallRequest => ({
  protocol,
  path: '/',
  model: 'm',
  streams: true,
  body: '{"model":"m"}',
});

interface Feeding {
  status?: number;
  /** Bytes of each piece; the whole text by default. */
  piece?: number;
  mostKept?: number;
}

function measure(protocol: Protocol, text: string, { status = 200, piece, mostKept }: Feeding = {}): Metered {
  const meter = createMeter(PROTOCOL_RULES[protocol], requestOf(protocol), mostKept);
  const bytes = new TextEncoder().encode(text);
  const size = piece ?? bytes.length;
  for (let at = 0; at < bytes.length; at += size) meter.feed(bytes.subarray(at, at + size));
  return meter.end(status);
}

const sse = (...events: object[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const named = (...events: ({ type: string } & Record<string, unknown>)[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

const CHAT_USAGE = {
  prompt_tokens: 1000,
  completion_tokens: 50,
  prompt_tokens_details: { cached_tokens: 100, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 10 },
};
const RESPONSES_USAGE = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 100 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 10 },
};
const MESSAGES_USAGE = { input_tokens: 20, cache_creation_input_tokens: 300, cache_read_input_tokens: 100 };
const GEMINI_USAGE = {
  promptTokenCount: 1000,
  candidatesTokenCount: 40,
  thoughtsTokenCount: 10,
  cachedContentTokenCount: 100,
};
const usage = (tokensIn: number, tokensOut: number, more: Partial<CallUsage> = {}): CallUsage => ({
  tokensIn,
  tokensOut,
  tokensCached: 100,
  tokensReasoning: 10,
  estimated: false,
  ...more,
});
const NONE = { tokensCached: null, tokensReasoning: null };

test.each<[string, Protocol, string, CallUsage]>([
  ['chat, whole', 'chat', JSON.stringify({ choices: [], usage: CHAT_USAGE }), usage(1000, 50)],
  [
    'chat, streamed, with usage in every chunk (vLLM)',
    'chat',
    sse(
      { choices: [{ delta: { content: 'a' } }], usage: { prompt_tokens: 1000, completion_tokens: 1 } },
      { choices: [], usage: CHAT_USAGE },
    ) + 'data: [DONE]\n\n',
    usage(1000, 50),
  ],
  [
    'chat, streamed, with empty usage first (OpenAI)',
    'chat',
    sse({ choices: [{ delta: { content: 'usage' } }], usage: null }, { choices: [], usage: CHAT_USAGE }),
    usage(1000, 50),
  ],
  [
    'chat of DeepSeek',
    'chat',
    JSON.stringify({ usage: { prompt_tokens: 9, completion_tokens: 3, prompt_cache_hit_tokens: 4 } }),
    usage(9, 3, { tokensCached: 4, tokensReasoning: null }),
  ],
  ['responses, whole', 'responses', JSON.stringify({ output: [], usage: RESPONSES_USAGE }), usage(1000, 50)],
  [
    'responses, streamed',
    'responses',
    named(
      { type: 'response.created', response: { usage: null } },
      { type: 'response.completed', response: { usage: RESPONSES_USAGE } },
    ),
    usage(1000, 50),
  ],
  [
    'messages, whole',
    'messages',
    JSON.stringify({ type: 'message', content: [], usage: { ...MESSAGES_USAGE, output_tokens: 50 } }),
    usage(420, 50, { tokensReasoning: null }),
  ],
  [
    'messages, streamed: a later number replaces the first',
    'messages',
    named(
      { type: 'message_start', message: { usage: { ...MESSAGES_USAGE, output_tokens: 1 } } },
      { type: 'message_delta', usage: { output_tokens: 7 } },
      { type: 'message_delta', usage: { output_tokens: 50 } },
      { type: 'message_stop' },
    ),
    usage(420, 50, { tokensReasoning: null }),
  ],
  [
    'messages, cut before its last number: the placeholder does not count',
    'messages',
    named(
      { type: 'message_start', message: { usage: { ...MESSAGES_USAGE, output_tokens: 1 } } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'abcdef' } },
      { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{"a":' } },
    ),
    usage(420, 4, { tokensReasoning: null, estimated: true }),
  ],
  ['gemini, whole', 'gemini', JSON.stringify({ usageMetadata: GEMINI_USAGE }), usage(1000, 50)],
  [
    'gemini, streamed',
    'gemini',
    sse({ usageMetadata: { promptTokenCount: 1000 } }, { usageMetadata: GEMINI_USAGE }),
    usage(1000, 50),
  ],
  [
    'gemini, streamed as a list',
    'gemini',
    JSON.stringify([{ usageMetadata: { promptTokenCount: 1000 } }, { usageMetadata: GEMINI_USAGE }], null, 2),
    usage(1000, 50),
  ],
  [
    'gemini that only thought',
    'gemini',
    JSON.stringify({ usageMetadata: { promptTokenCount: 5, thoughtsTokenCount: 10 } }),
    usage(5, 10, { tokensCached: null }),
  ],
  [
    'chat without usage',
    'chat',
    JSON.stringify({
      choices: [{ message: { content: 'abc', tool_calls: [{ function: { name: 'de', arguments: '{}' } }] } }],
    }),
    usage(5, 3, { ...NONE, estimated: true }),
  ],
  [
    'responses cut in the middle',
    'responses',
    named({ type: 'response.output_text.delta', delta: 'abcdefghi' }),
    usage(5, 3, { ...NONE, estimated: true }),
  ],
  ['an answer that is no JSON', 'chat', 'hello', usage(5, 2, { ...NONE, estimated: true })],
  [
    'numbers that are none',
    'chat',
    '{"usage":{"prompt_tokens":"9","completion_tokens":-1}}',
    usage(5, 0, { ...NONE, estimated: true }),
  ],
])('%s', (_, protocol, text, expected) => {
  expect(measure(protocol, text).usage).toEqual(expected);
  for (const piece of [1, 7]) expect(measure(protocol, text, { piece })).toMatchObject({ usage: expected, body: text });
});

test('an error costs nothing', () => {
  const { usage: found } = measure('chat', '{"error":{"message":"usage"}}', { status: 400 });
  expect(found).toEqual({ tokensIn: null, tokensOut: null, ...NONE, estimated: false });
});

test('characters of several bytes, line ends of Windows, and data of several lines are read over any border', () => {
  const text =
    'event: x\r\ndata: {"choices":[{"delta":{"content":"größe 漢 🙂"}}],\r\ndata: "usage":{"prompt_tokens":3,\r\n';
  const whole = `${text}data: "completion_tokens":4}}\r\n\r\ndata: [DONE]\r\n\r\n`;
  for (const piece of [1, 2, 3, 1000]) {
    const found = measure('chat', whole, { piece });
    expect(found).toMatchObject({ body: whole, hasEnd: true, usage: { tokensIn: 3, tokensOut: 4 } });
  }
});

test('a long stream is kept up to the limit, and its usage is read all the same', () => {
  const text = sse({ choices: [{ delta: { content: 'x'.repeat(500) } }] }, { choices: [], usage: CHAT_USAGE });
  const { body, usage: found } = measure('chat', text, { piece: 100, mostKept: 300 });
  expect(body).toBe(text.slice(0, 300));
  expect(found).toEqual(usage(1000, 50));
});

test('a whole answer over the limit is estimated by what was kept', () => {
  const text = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(500) } }], usage: CHAT_USAGE });
  const { body, usage: found } = measure('chat', text, { piece: 100, mostKept: 300 });
  expect(body).toBe(text.slice(0, 300));
  expect(found).toMatchObject({ tokensOut: 100, estimated: true });
});

test.each<[Protocol, string]>([
  ['chat', 'data: [DONE]\n\n'],
  ['responses', named({ type: 'response.incomplete' })],
  ['messages', named({ type: 'message_stop' })],
  ['gemini', sse({ candidates: [{ finishReason: 'STOP' }] })],
])('the end of a stream of %s is seen, and no text of a model looks like it', (protocol, end) => {
  const said = JSON.stringify({ a: `[DONE] ${end}`, finishreason: 1 });
  expect(measure(protocol, `data: {"text":${JSON.stringify(said)}}\n\n`).hasEnd).toBe(false);
  expect(measure(protocol, end).hasEnd).toBe(true);
});
