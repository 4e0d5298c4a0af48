import { expect, test } from 'vitest';
import { countValues } from '../../../domain/gateway/count-values.ts';
import { headersToReturn, headersToSend } from '../../../domain/gateway/headers.ts';
import { PROTOCOL_RULES } from '../../../domain/gateway/protocols.ts';
import { readRequest } from '../../../domain/gateway/read-request.ts';
import { routeOf } from '../../../domain/gateway/route.ts';
import { createUsageFilter } from '../../../domain/gateway/usage-filter.ts';
import { waitSeconds } from '../../../domain/gateway/wait.ts';

test.each([
  ['POST', '/v1/chat/completions', 'chat', '/chat/completions'],
  ['POST', '/chat/completions', 'chat', '/chat/completions'],
  ['POST', '/v1/responses', 'responses', '/responses'],
  ['POST', '/v1/messages', 'messages', '/v1/messages'],
  ['POST', '/v1/messages/count_tokens', 'messages', '/v1/messages/count_tokens'],
  ['POST', '/v1beta/models/gemini-2.5-pro:generateContent', 'gemini', '/v1beta/models/gemini-2.5-pro:generateContent'],
  ['GET', '/v1/models', 'chat', '/models'],
  ['GET', '/v1/models/gpt-5', 'chat', '/models/gpt-5'],
])('%s %s goes to the endpoint of %s at %s', (method, path, protocol, target) => {
  const route = routeOf(method, path, false);
  expect(route).toMatchObject({ target });
  expect(route?.kind === 'call' ? route.rule.name : (route as { protocol: string }).protocol).toBe(protocol);
});

test('a list of models goes to Anthropic if the client speaks its protocol', () => {
  expect(routeOf('GET', '/v1/models', true)).toEqual({ kind: 'question', protocol: 'messages', target: '/v1/models' });
});

test('model and stream of Gemini are in the path', () => {
  const path = '/v1beta/models/gemini-2.5-pro:streamGenerateContent';
  expect(readRequest(PROTOCOL_RULES.gemini, path, '{"model":"x","stream":false}')).toMatchObject({
    request: { model: 'gemini-2.5-pro', streams: true },
    asksForUsage: false,
  });
});

test.each([
  ['no options', ' {"stream":true}', ' {"stream_options":{"include_usage":true},"stream":true}'],
  [
    'other options',
    '{"stream":true,"stream_options":{"a":1}}',
    '{"stream":true,"stream_options":{"a":1,"include_usage":true}}',
  ],
  [
    'usage refused',
    '{"stream":true,"stream_options":{"include_usage":false}}',
    '{"stream":true,"stream_options":{"include_usage":true}}',
  ],
  ['usage requested', '{"stream":true,"stream_options":{"include_usage":true}}', null],
  ['no stream', '{"stream":false}', null],
])('a request of Chat Completions with %s', (_, sent, changed) => {
  const read = readRequest(PROTOCOL_RULES.chat, '/v1/chat/completions', sent);
  expect(read).toMatchObject({ asksForUsage: changed !== null, request: { body: changed ?? sent } });
});

test.each(['', '[]', '"x"', 'null', '{'])('%j is no request', (text) => {
  expect(readRequest(PROTOCOL_RULES.messages, '/v1/messages', text)).toBe('expected a JSON object as the body');
});

test.each([
  [{ model: 'm'.repeat(257) }, 'expected at most 256 characters in the name of the model, got 257'],
  [{ model: 'm', background: true }, 'background: expected false, since its tokens cannot be counted'],
])('a request of Responses is refused if it cannot be counted: %j', (body, why) => {
  expect(readRequest(PROTOCOL_RULES.responses, '/v1/responses', JSON.stringify(body))).toBe(why);
});

test.each([
  ['{}', 1],
  ['[{},{},{}]', 6],
  ['{"a":"[{,\\",{[","b":[1,2]}', 4],
  ['"\\\\",{', 2],
])('values of %s are counted outside of texts', (json, count) => {
  expect(countValues(Buffer.from(json))).toBe(count);
});

test('headers that may hold a key, or that name the caller or its connection, are not sent', () => {
  const dropped = {
    authorization: 'Bearer x',
    'x-api-key': 'x',
    'x-goog-api-key': 'x',
    'api-key': 'x',
    cookie: 'x',
    'proxy-authorization': 'x',
    'openai-organization': 'x',
    'x-forwarded-for': 'x',
    connection: 'keep-alive, X-Mine',
    'x-mine': 'x',
    'transfer-encoding': 'chunked',
    'content-length': '3',
    'accept-encoding': 'gzip',
    host: 'x',
    'x-portkey-custom-host': 'https://elsewhere.test',
    'x-http-method-override': 'DELETE',
    'x-original-url': '/v1/files',
  };
  const kept = { 'content-type': 'application/json', 'anthropic-beta': 'a', 'user-agent': 'claude-cli' };
  expect(headersToSend({ ...dropped, ...kept })).toEqual(kept);
  const answered = { 'x-request-id': 'r', 'content-length': '3', 'set-cookie': ['x'], 'openai-organization': 'acme' };
  expect(headersToReturn({ ...answered, connection: 'close' })).toEqual({ 'x-request-id': 'r', 'content-length': '3' });
});

test.each([
  ['the header of a rate limit', { status: 429, retryAfter: 7 }, 7],
  ['no header', { status: 429, tries: 1 }, 0.5],
  ['a later try', { status: 429, tries: 4 }, 4],
  ['a late try', { status: 429, tries: 99 }, 30],
  ['a header of 0', { status: 429, retryAfter: 0 }, 0.5],
  ['an overload with a header', { status: 529, retryAfter: 3 }, 3],
  ['an outage with a header', { status: 503, retryAfter: 3 }, 3],
  ['an outage without a header', { status: 503 }, null],
  ['an account without credit', { status: 429, body: '{"error":{"code":"insufficient_quota"}}' }, null],
  ['another error', { status: 500, retryAfter: 3 }, null],
])('the wait by %s', (_, answer, seconds) => {
  expect(waitSeconds({ retryAfter: null, body: '', tries: 1, jitter: 0, ...answer })).toBe(seconds);
});

test('the wait of several callers is spread', () => {
  const answer = { status: 429, retryAfter: null, body: '', tries: 3 };
  expect([0, 1].map((jitter) => waitSeconds({ ...answer, jitter }))).toEqual([2, 6]);
  expect(waitSeconds({ ...answer, retryAfter: 10, jitter: 1 })).toBe(11);
});

test('the event of usage is removed from a stream, over any border, and no other', () => {
  const usage = 'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n';
  const kept = [
    'data: {"choices":[{"delta":{"content":"größe: \\"usage\\" []"}}],"usage":null}\n\n',
    'data: {"choices":[],"prompt_filter_results":[],"usage":null}\n\n',
    ': a comment\n\n',
    'data: {"error":{"message":"usage"}}\n\n',
  ];
  const text = [...kept.slice(0, 2), usage, ...kept.slice(2), usage.replaceAll('\n', '\r\n'), 'data: [DONE]\n\n'].join(
    '',
  );
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 5, bytes.length]) {
    const filter = createUsageFilter();
    let passed = '';
    for (let at = 0; at < bytes.length; at += size) passed += filter.feed(bytes.subarray(at, at + size));
    expect(passed + filter.end()).toBe(`${kept.join('')}data: [DONE]\n\n`);
  }
});
