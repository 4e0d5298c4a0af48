import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PROTOCOLS } from '../../../domain/gateway/call.ts';
import { closeAfterTest, exchange, KEY, openGateway, REQUESTS, startEndpoint, streamed } from './support.ts';

const TOKENS = {
  chat: { tokensIn: 1000, tokensOut: 50, tokensCached: 100, tokensReasoning: 10 },
  responses: { tokensIn: 1000, tokensOut: 50, tokensCached: 100, tokensReasoning: 10 },
  // Cached tokens come beside the input.
  messages: { tokensIn: 1100, tokensOut: 50, tokensCached: 100, tokensReasoning: null },
  gemini: { tokensIn: 1000, tokensOut: 50, tokensCached: 100, tokensReasoning: 10 },
};

test.each(PROTOCOLS)(
  'a whole answer of %s passes with the key of the worker, and its tokens are stored',
  async (name) => {
    const endpoint = await startEndpoint();
    const { path, ledger } = await openGateway(endpoint.url);
    const { path: url, body, header } = REQUESTS[name];
    const received = await exchange(path, url, { body, headers: { ...header, cookie: 'a=b', 'api-key': 'sk-own' } });
    expect(received.status).toBe(200);
    expect(received.body).toMatch('Done: the learning rate is 0.2.');
    const call = await ledger.ended(0);
    expect(call.request).toEqual({
      protocol: name,
      path: url.split('?')[0],
      model: 'm',
      streams: false,
      body: JSON.stringify(body),
    });
    expect(call.answer).toEqual({
      status: 200,
      body: received.body,
      usage: { ...TOKENS[name], estimated: false },
      latencySeconds: expect.any(Number) as number,
      cut: false,
    });
    const [seen] = endpoint.requests;
    expect(seen).toMatchObject({ key: KEY, body, headers: { 'accept-encoding': 'identity' } });
    expect(JSON.stringify(seen)).not.toContain('own');
    expect(seen!.headers).not.toHaveProperty('cookie');
  },
);

test.each(PROTOCOLS)('a stream of %s passes byte by byte, and its tokens are stored', async (name) => {
  const endpoint = await startEndpoint();
  const { path, ledger } = await openGateway(endpoint.url);
  const { path: url, body } = streamed(name);
  const received = await exchange(path, url, { body });
  expect(received).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
  const call = await ledger.ended(0);
  expect(call.request).toMatchObject({ protocol: name, streams: true, model: 'm' });
  expect(call.answer).toMatchObject({ usage: { ...TOKENS[name], estimated: false }, cut: false });
  // The caller did not ask for usage: it receives no event that has no choices.
  const [passed, usage] = call.answer!.body.split(/(?=data: {[^\n]*"choices":\[\])/);
  expect(received.body).toBe(name === 'chat' ? `${passed}data: [DONE]\n\n` : call.answer!.body);
  expect(usage?.endsWith('data: [DONE]\n\n') ?? true).toBe(true);
});

test('a caller that asks for usage receives it', async () => {
  const endpoint = await startEndpoint();
  const { path, ledger } = await openGateway(endpoint.url);
  const { path: url, body } = streamed('chat');
  const received = await exchange(path, url, { body: { ...body, stream_options: { include_usage: true } } });
  expect(received.body).toMatch('"choices":[],"usage":{"prompt_tokens":1000');
  expect((await ledger.ended(0)).answer!.body).toBe(received.body);
});

test('a stream of Chat Completions is asked for usage, with the right length of the body', async () => {
  const endpoint = await startEndpoint();
  const { path, ledger } = await openGateway(endpoint.url);
  const body = '{ "model": "m", "seed": 12345678901234567890, "stream": true, "messages": [] }';
  expect(await exchange(path, '/v1/chat/completions', { body })).toMatchObject({ status: 200 });
  const sent = `{"stream_options":{"include_usage":true},${body.slice(1)}`;
  expect((await ledger.ended(0)).request.body).toBe(sent);
  expect(endpoint.requests[0]).toMatchObject({
    bytes: sent.length,
    headers: { 'content-length': String(sent.length) },
  });
});

test('a compressed answer that nobody asked for is unpacked, and its tokens are stored', async () => {
  const packed = await startEndpoint({ gzip: true });
  const { path, ledger } = await openGateway(packed.url);
  // The endpoint of this test compresses if the header says so; another one does it always.
  const endpoint = await startEndpoint({
    answer: () => ({
      status: 200,
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ usage: { prompt_tokens: 7, completion_tokens: 3 } })),
    }),
  });
  const { path: url, body } = REQUESTS.chat;
  const polite = await exchange(path, url, { body, headers: { 'accept-encoding': 'gzip' } });
  expect(polite.headers).not.toHaveProperty('content-encoding');
  expect((await ledger.ended(0)).answer).toMatchObject({ usage: { tokensIn: 1000 } });
  const other = await openGateway(endpoint.url);
  const received = await exchange(other.path, url, { body });
  expect(JSON.parse(received.body)).toEqual({ usage: { prompt_tokens: 7, completion_tokens: 3 } });
  expect((await other.ledger.ended(0)).answer).toMatchObject({ usage: { tokensIn: 7, tokensOut: 3 } });
});

test('calls go through the proxy of the environment', async () => {
  const endpoint = await startEndpoint();
  const targets: (string | undefined)[] = [];
  const proxy = createServer((incoming, response) => {
    targets.push(incoming.url);
    const { pathname } = new URL(incoming.url ?? '');
    const forward = { port: endpoint.port!, path: pathname, method: 'POST', headers: incoming.headers };
    incoming.pipe(request(forward, (answer) => answer.pipe(response)));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  closeAfterTest(async () => {
    proxy.close();
    proxy.closeAllConnections();
    await once(proxy, 'close');
  });
  const { port } = proxy.address() as AddressInfo;
  const { path, ledger } = await openGateway('http://models.invalid', {
    env: { http_proxy: `http://127.0.0.1:${port}` },
  });
  expect((await exchange(path, REQUESTS.messages.path, { body: REQUESTS.messages.body })).status).toBe(200);
  expect(targets).toEqual(['http://models.invalid/v1/messages?beta=true']);
  expect((await ledger.ended(0)).answer).toMatchObject({ usage: { tokensIn: 1100 } });
});

test('an answer without usage gets an estimate that is marked', async () => {
  const answer = { choices: [{ message: { content: 'abcdef' } }] };
  const endpoint = await startEndpoint({ answer: () => ({ status: 200, body: answer }) });
  const { path, ledger } = await openGateway(endpoint.url);
  await exchange(path, REQUESTS.chat.path, { body: REQUESTS.chat.body });
  const bytes = JSON.stringify(REQUESTS.chat.body).length;
  expect((await ledger.ended(0)).answer?.usage).toEqual({
    tokensIn: Math.ceil(bytes / 3),
    tokensOut: 2,
    tokensCached: null,
    tokensReasoning: null,
    estimated: true,
  });
});

test('a model list, a count of tokens, and a sign of life are no calls', async () => {
  const endpoint = await startEndpoint();
  const { path, ledger } = await openGateway(endpoint.url);
  expect((await exchange(path, '/v1/models', { method: 'GET' })).body).toMatch('scripted');
  const headers = { 'anthropic-version': '2023-06-01' };
  expect((await exchange(path, '/v1/models', { method: 'GET', headers })).status).toBe(200);
  const counted = await exchange(path, '/v1/messages/count_tokens', { body: REQUESTS.messages.body });
  expect(counted.body).toBe('{"input_tokens":1000}');
  expect((await exchange(path, '/', { method: 'HEAD' })).status).toBe(200);
  expect(endpoint.requests.map((each) => [each.path, each.headers['x-api-key'] !== undefined])).toEqual([
    ['/v1/models', false],
    ['/v1/models', true],
    ['/v1/messages/count_tokens', true],
  ]);
  expect(ledger.calls).toEqual([]);
});
