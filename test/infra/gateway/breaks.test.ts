import { EventEmitter, once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { CallLedger } from '../../../infra/gateway.ts';
import { begin, createMemoryLedger, exchange, openGateway, REQUESTS, startEndpoint, streamed } from './support.ts';

/** Waits until the endpoint has seen the end of its first request, and returns whether it was cut. */
async function isCut(requests: readonly { cut: boolean | null }[]): Promise<boolean | null> {
  while (requests[0]?.cut === null) await new Promise((resolve) => setTimeout(resolve, 10));
  return requests[0]!.cut;
}

/** Sends a request and waits for nothing. */
function sendChat(socketPath: string): ClientRequest {
  const { path, body } = REQUESTS.chat;
  const outgoing = request({ socketPath, path, method: 'POST' }).on('error', () => undefined);
  outgoing.end(JSON.stringify(body));
  return outgoing;
}

test('a caller that leaves in the middle of a stream ends the call at the endpoint, and the row is cut', async () => {
  const endpoint = await startEndpoint({ delay: 20, say: 'x'.repeat(5000) });
  const { path, ledger, socket } = await openGateway(endpoint.url);
  const { path: url, body } = streamed('messages');
  const { outgoing, answer } = await begin(path, url, { body });
  await once(answer, 'data');
  expect(socket.active()).toBe(1);
  answer.on('error', () => undefined);
  outgoing.destroy();
  const { answer: stored } = await ledger.ended(0);
  expect(stored).toMatchObject({ status: 200, cut: true, usage: { tokensIn: 1100, estimated: true } });
  expect(await isCut(endpoint.requests)).toBe(true);
});

test('a caller that leaves before the answer ends the call, which the endpoint may charge for', async () => {
  const endpoint = await startEndpoint({ wait: 60_000 });
  const { path, ledger } = await openGateway(endpoint.url);
  const outgoing = sendChat(path);
  while (endpoint.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  outgoing.destroy();
  expect((await ledger.ended(0)).answer).toMatchObject({ status: 0, body: '', cut: true });
});

test('a caller that leaves while its call waits for its turn makes no call', async () => {
  const endpoint = await startEndpoint();
  const waiting = new AbortController();
  const begin: CallLedger['begin'] = async (_, signal) => {
    waiting.abort();
    await once(new EventEmitter(), 'turn', { signal });
    return { turn: 0 };
  };
  const { path, socket, log } = await openGateway(endpoint.url, { ledger: { ...createMemoryLedger(), begin } });
  const outgoing = sendChat(path);
  if (!waiting.signal.aborted) await once(waiting.signal, 'abort');
  outgoing.destroy();
  while (socket.active() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  expect([endpoint.requests, log]).toEqual([[], []]);
});

test.each(['chat', 'messages'] as const)('an endpoint that dies in a stream of %s cuts the answer', async (name) => {
  const endpoint = await startEndpoint({ cut: 1 });
  const { path, ledger } = await openGateway(endpoint.url);
  const { path: url, body } = streamed(name);
  await expect(exchange(path, url, { body })).rejects.toThrow('aborted');
  const { answer } = await ledger.ended(0);
  expect(answer).toMatchObject({ status: 200, cut: true, usage: { estimated: true } });
  expect(answer!.usage.tokensOut).toBeGreaterThan(0);
  expect(await exchange(path, url, { body })).toMatchObject({ status: 200 });
});

test('a client that closes at the last event has the whole answer', async () => {
  const endpoint = await startEndpoint({ answer: () => ({}), delay: 1 });
  const { path, ledger } = await openGateway(endpoint.url);
  const { path: url, body } = streamed('chat');
  const { outgoing, answer } = await begin(path, url, { body });
  answer.setEncoding('utf8').on('error', () => undefined);
  answer.on('data', (text: string) => {
    if (text.includes('[DONE]')) outgoing.destroy();
  });
  expect((await ledger.ended(0)).answer).toMatchObject({ cut: false, usage: { tokensOut: 50, estimated: false } });
});

test('a slow caller slows the endpoint down, and receives every byte', async () => {
  const say = 'word '.repeat(4_000_000);
  const endpoint = await startEndpoint({ say });
  const { path, ledger } = await openGateway(endpoint.url);
  const { path: url, body } = streamed('chat');
  const { answer } = await begin(path, url, { body });
  answer.pause();
  const [seen] = endpoint.requests;
  const written = async (): Promise<number> => {
    for (let before = -1; before !== seen!.written;) {
      before = seen!.written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return seen!.written;
  };
  const first = await written();
  expect(first).toBeGreaterThan(0);
  answer.setEncoding('utf8');
  let text = '';
  for await (const piece of answer) text += piece as string;
  expect(first).toBeLessThan(text.length / 2);
  expect(text.length).toBeGreaterThan(say.length);
  const { answer: stored } = await ledger.ended(0);
  expect(stored).toMatchObject({ cut: false, usage: { tokensOut: 50 } });
  // The row keeps the start.
  expect(stored!.body.length).toBe(16 * 1024 * 1024);
});

test('a rate limit is waited for, and each try is a call', async () => {
  const endpoint = await startEndpoint({ limited: 2, retryAfter: 0 });
  const { path, ledger, log } = await openGateway(endpoint.url, { random: () => 0 });
  const { path: url, body } = REQUESTS.responses;
  expect(await exchange(path, url, { body })).toMatchObject({ status: 200 });
  await ledger.ended(2);
  expect(ledger.calls.map((call) => call.answer?.status)).toEqual([429, 429, 200]);
  expect(ledger.calls[0]!.answer).toMatchObject({ usage: { tokensIn: null, estimated: false } });
  expect(log[0]).toMatch(/answered 429: waits 0.5 s \(try 1\)/);
});

test('a caller that leaves ends the wait for a rate limit', async () => {
  const endpoint = await startEndpoint({ limited: 9, retryAfter: 3600 });
  const { path, ledger, socket } = await openGateway(endpoint.url);
  const outgoing = sendChat(path);
  await ledger.ended(0);
  // No row awaits an answer, but the caller does.
  expect(socket.active()).toBe(1);
  outgoing.destroy();
  while (socket.active() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(ledger.calls).toHaveLength(1);
});

test('an endpoint that refuses stream_options gets the request of the caller, and tokens are estimated', async () => {
  const endpoint = await startEndpoint({
    answer: ({ body }) =>
      'stream_options' in (body as object)
        ? { status: 400, body: { error: { message: 'Unknown parameter: stream_options' } } }
        : undefined,
  });
  const { path, ledger, log } = await openGateway(endpoint.url);
  const { path: url, body } = streamed('chat');
  expect((await exchange(path, url, { body })).body).toMatch('[DONE]');
  expect((await exchange(path, url, { body })).body).toMatch('[DONE]');
  expect(endpoint.requests.map((seen) => 'stream_options' in (seen.body as object))).toEqual([true, false, false]);
  expect(ledger.calls.map((call) => [call.answer?.status, call.answer?.usage.estimated])).toEqual([
    [400, false],
    [200, true],
    [200, true],
  ]);
  expect(log).toHaveLength(1);
});

test('an account without credit is not waited for', async () => {
  const body = { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } };
  const endpoint = await startEndpoint({ answer: () => ({ status: 429, body }) });
  const { path } = await openGateway(endpoint.url);
  const received = await exchange(path, REQUESTS.chat.path, { body: REQUESTS.chat.body });
  expect(received).toMatchObject({ status: 429, body: JSON.stringify(body) });
});

test('an endpoint that is silent for too long fails the call', async () => {
  const endpoint = await startEndpoint({ wait: 60_000 });
  const { path, ledger } = await openGateway(endpoint.url, { idleSeconds: 0.2 });
  const { path: url, body } = REQUESTS.chat;
  expect(await exchange(path, url, { body })).toMatchObject({ status: 502 });
  expect((await ledger.ended(0)).error).toMatch('no byte within 0.2 s');
});

test('an answer that cannot be stored breaks off before its end, so that the caller repeats the call', async () => {
  const endpoint = await startEndpoint();
  const ledger = { ...createMemoryLedger(), end: () => Promise.reject(new Error('no database')) };
  const { path, log } = await openGateway(endpoint.url, { ledger });
  const { path: url, body } = streamed('messages');
  await expect(exchange(path, url, { body })).rejects.toThrow('aborted');
  expect(log).toEqual(['model gateway: proposer: no database']);
});

test('a gateway that closes cuts what passes, and its row is complete', async () => {
  const endpoint = await startEndpoint({ delay: 20, say: 'x'.repeat(5000) });
  const { path, ledger, socket } = await openGateway(endpoint.url);
  const { path: url, body } = streamed('chat');
  const { answer } = await begin(path, url, { body });
  answer.on('error', () => undefined);
  await once(answer, 'data');
  await socket.close();
  expect(ledger.calls[0]!.answer).toMatchObject({ cut: true });
});

test('a connection with several requests at once is closed, and none of them goes on', async () => {
  const endpoint = await startEndpoint({ wait: 60_000 });
  const { path, socket } = await openGateway(endpoint.url);
  const client = connect(path);
  const closed = once(client.resume(), 'close');
  client.on('error', () => undefined);
  client.write('GET /v1/models HTTP/1.1\r\nhost: gateway\r\n\r\n'.repeat(200));
  await closed;
  await socket.close();
  expect(endpoint.requests.length).toBeLessThanOrEqual(1);
});

test('a caller that provokes an error about stream_options does not turn off the reports of usage', async () => {
  const endpoint = await startEndpoint({
    answer: ({ body }) =>
      JSON.stringify(body).includes('"spy"')
        ? { status: 400, body: { error: { message: 'Unknown parameter: stream_options.spy' } } }
        : undefined,
  });
  const { path, ledger } = await openGateway(endpoint.url);
  const { path: url, body } = streamed('chat');
  expect(await exchange(path, url, { body: { ...body, stream_options: { spy: 1 } } })).toMatchObject({ status: 400 });
  expect(await exchange(path, url, { body })).toMatchObject({ status: 200 });
  expect(ledger.calls.at(-1)?.answer?.usage).toMatchObject({ tokensIn: 1000, estimated: false });
});
