import { expect, test } from 'vitest';
import { createOpenAiLlm } from '../../../infra/llm/openai.ts';
import { answerWith } from '../../support/scripted-endpoint.ts';
import { ask, fail, KEY, startEndpoint } from './support.ts';

test('an answer is returned with its tokens, model, finish reason and latency', async () => {
  const usage = { prompt_tokens: 12, completion_tokens: 3 };
  const { url } = await startEndpoint({ kind: 'answer', text: 'the answer', delayMs: 50, usage });
  const answer = await ask(url);
  expect(answer).toMatchObject({ text: 'the answer', refusal: null, finishReason: 'stop', model: 'some-model' });
  expect(answer).toMatchObject({ tokensIn: 12, tokensOut: 3 });
  expect(answer.latencySeconds).toBeGreaterThan(0.045);
});

test('the request carries model, messages, temperature, limit and the key', async () => {
  const { url, requests } = await startEndpoint(answerWith('x'));
  await ask(url);
  expect(requests[0]?.body).toEqual({
    model: 'some-model',
    messages: [{ role: 'user', content: 'Improve this.' }],
    temperature: 0.7,
    max_tokens: 100,
  });
  expect(requests[0]?.headers['authorization']).toBe(`Bearer ${KEY}`);
});

test('without a key no authorization header is sent', async () => {
  const { url, requests } = await startEndpoint(answerWith('x'));
  await ask(url, { apiKey: null });
  await ask(url, { apiKey: ' ' });
  expect(requests.map((request) => request.headers['authorization'])).toEqual([undefined, undefined]);
});

test('an answer of 400 KB comes back whole', async () => {
  const text = 'äx\n'.repeat(102_400);
  const { url } = await startEndpoint(answerWith(text));
  expect((await ask(url)).text).toBe(text);
});

test('an empty answer is an answer', async () => {
  const { url } = await startEndpoint(answerWith(''));
  expect((await ask(url)).text).toBe('');
});

test('a refusal is returned, not thrown', async () => {
  const { url } = await startEndpoint({ kind: 'answer', text: null, refusal: 'I will not.' });
  expect(await ask(url)).toMatchObject({ text: '', refusal: 'I will not.' });
});

test.each(['length', 'content_filter'])('an answer cut off by %s is returned, with or without text', async (reason) => {
  const { url } = await startEndpoint([
    { kind: 'answer', text: 'half', finishReason: reason },
    { kind: 'answer', text: null, finishReason: reason },
  ]);
  expect(await ask(url)).toMatchObject({ text: 'half', finishReason: reason });
  expect(await ask(url)).toMatchObject({ text: '', finishReason: reason });
});

test('an endpoint that does not count tokens gives null, not zero', async () => {
  const { url } = await startEndpoint({ kind: 'answer', text: 'x', usage: null });
  expect(await ask(url)).toMatchObject({ tokensIn: null, tokensOut: null });
});

test('a count of tokens that is no number does not lose the answer', async () => {
  const usage = { prompt_tokens: 'many', completion_tokens: 1e12 };
  const { url } = await startEndpoint({ kind: 'answer', text: 'x', usage: usage as never });
  expect(await ask(url)).toMatchObject({ text: 'x', tokensIn: null, tokensOut: null });
});

test('characters that Postgres cannot hold are replaced', async () => {
  const { url } = await startEndpoint(answerWith('a\0b\ud800c😀'));
  expect((await ask(url)).text).toBe('a\uFFFDb\uFFFDc😀');
});

test('one call is one request, whatever the endpoint answers', async () => {
  const endpoint = await startEndpoint({ kind: 'status', status: 500, headers: { 'x-should-retry': 'true' } });
  await fail(endpoint.url);
  expect(endpoint.requests).toHaveLength(1);
});

test('a model that wants max_completion_tokens gets it, and is asked that way from then on', async () => {
  const body = { error: { message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead." } };
  const { url, requests } = await startEndpoint((request) =>
    'max_tokens' in request.body ? { kind: 'status', status: 400, body } : answerWith('fine'),
  );
  const llm = createOpenAiLlm({ baseUrl: url, apiKey: KEY });
  const request = { model: 'new', messages: [], temperature: 1, maxTokens: 77, deadlineSeconds: 20 };
  const { signal } = new AbortController();
  expect((await llm.complete(request, signal)).text).toBe('fine');
  expect((await llm.complete(request, signal)).text).toBe('fine');
  expect(requests.map(({ body }) => body['max_completion_tokens'])).toEqual([undefined, 77, 77]);
});

test('an endpoint that was down and came back answers the next call', async () => {
  const endpoint = await startEndpoint(answerWith('back'));
  await endpoint.down();
  expect(await fail(endpoint.url)).toMatchObject({ kind: 'down', status: null });
  await endpoint.up();
  expect((await ask(endpoint.url)).text).toBe('back');
});

test('many calls at once each get their own answer', async () => {
  const { url } = await startEndpoint(({ body }) => ({ ...answerWith(body.messages[0]!.content), delayMs: 20 }));
  const words = Array.from({ length: 32 }, (_, index) => `word ${index}`);
  const answers = await Promise.all(
    words.map((content) => ask(url, { request: { messages: [{ role: 'user', content }] } })),
  );
  expect(answers.map(({ text }) => text)).toEqual(words);
});
