import { expect, test } from 'vitest';
import { createOpenAiLlm } from '../../../infra/llm/openai.ts';
import type { LlmRequest } from '../../../infra/llm.ts';
import { answerWith, type Behaviour } from '../../support/scripted-endpoint.ts';
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

/** A client that keeps what it logs, and a request for each model. */
function clientOf(url: string) {
  const lines: string[] = [];
  const llm = createOpenAiLlm({ baseUrl: url, apiKey: KEY, log: (line) => lines.push(line) });
  const messages: LlmRequest['messages'] = [
    { role: 'system', content: 'You improve.' },
    { role: 'user', content: 'x'.repeat(20_000) },
  ];
  const request = (model: string): LlmRequest => ({
    model,
    messages,
    temperature: 1,
    maxTokens: 77,
    deadlineSeconds: 20,
  });
  const ask = (model: string) => llm.complete(request(model), new AbortController().signal);
  return { llm, lines, ask };
}

const refused = (message: string): Behaviour => ({ kind: 'status', status: 400, body: { error: { message } } });

test('a refused form is changed once for its model, and the log has one line', async () => {
  const { url, requests } = await startEndpoint(({ body }) => {
    if (body.model === 'plain') return answerWith('fine');
    if ('temperature' in body) return refused(`no temperature for the key ${KEY}`);
    if (body.messages[0]?.role === 'system') return refused('system role not supported');
    return answerWith('fine');
  });
  const { ask, lines } = clientOf(url);
  for (const model of ['picky', 'picky', 'plain']) expect((await ask(model)).text).toBe('fine');
  expect(requests.map(({ body }) => [body.model, body.messages.length, 'temperature' in body])).toEqual([
    ['picky', 2, true],
    ['picky', 2, false],
    ['picky', 1, false],
    ['picky', 1, false],
    ['plain', 2, true],
  ]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^each request for the model "picky" to http:\S+ leaves out temperature, sends the system text in the first .*: /,
  );
  expect(lines[0]).not.toContain(KEY);
});

test('an error that a 200 reports as a refused form changes the form, too', async () => {
  const refusal = {
    kind: 'status',
    status: 200,
    body: { error: { code: 'unsupported_parameter', param: 'temperature' } },
  };
  const { url, requests } = await startEndpoint(({ body }) =>
    'temperature' in body ? (refusal as Behaviour) : answerWith('a'),
  );
  expect((await clientOf(url).ask('m')).text).toBe('a');
  expect(requests).toHaveLength(2);
});

test('an overload after a changed form is reported, and the form is kept', async () => {
  let calls = 0;
  const { url, requests } = await startEndpoint(({ body }) => {
    if ('temperature' in body) return refused('no temperature');
    return (calls += 1) === 1 ? { kind: 'status', status: 429 } : answerWith('a');
  });
  const { ask } = clientOf(url);
  await expect(ask('m')).rejects.toMatchObject({ kind: 'down', status: 429 });
  expect((await ask('m')).text).toBe('a');
  expect(requests).toHaveLength(3);
});

test('an endpoint that refuses each form is asked a limited number of times, and keeps its plain form', async () => {
  const words = 'temperature, max_tokens, max_completion_tokens, stream, stream_options, role system: unsupported';
  const { url, requests } = await startEndpoint(refused(words));
  const { ask, lines } = clientOf(url);
  await expect(ask('m')).rejects.toMatchObject({ kind: 'refused', status: 400 });
  expect(requests).toHaveLength(7);
  expect(lines).toEqual([]);
});

test('a prompt that is too long is not sent again, and halves the length of later prompts', async () => {
  const { url, requests } = await startEndpoint(refused('the prompt is too long'));
  const { ask, llm, lines } = clientOf(url);
  expect(llm.promptLimit('m')).toBeNull();
  await expect(ask('m')).rejects.toMatchObject({ refused: 'length', status: 400 });
  await expect(ask('m')).rejects.toMatchObject({ refused: 'length' });
  expect([llm.promptLimit('m'), llm.promptLimit('other')]).toEqual([10_006, null]);
  expect([requests.length, lines.length]).toEqual([2, 1]);
});

test('a refused key of llm.body waits for a person: it is neither left out nor a fault of the request', async () => {
  const { url, requests } = await startEndpoint(refused("'reasoning_effort' does not support 'high'"));
  const error = await fail(url, { request: { body: { reasoning_effort: 'high' } } });
  expect(error).toMatchObject({ kind: 'refused', refused: 'setting' });
  expect(error.message).toMatch(/^llm\.body\.reasoning_effort: correct or remove it: /);
  expect(requests.map(({ body }) => body.reasoning_effort)).toEqual(['high']);
});

test.each([400, 403, 422])('a refusal of the content with status %i concerns the prompt', async (status) => {
  const { url } = await startEndpoint({
    kind: 'status',
    status,
    body: { error: { message: 'your input was flagged' } },
  });
  expect(await fail(url)).toMatchObject({ kind: 'refused', refused: 'content', status });
});

test('no temperature is sent if the request has none, and further keys are', async () => {
  const { url, requests } = await startEndpoint(answerWith('x'));
  await ask(url, { request: { temperature: null, body: { chat_template_kwargs: { enable_thinking: false } } } });
  expect(requests[0]?.body).not.toHaveProperty('temperature');
  expect(requests[0]?.body).toMatchObject({ chat_template_kwargs: { enable_thinking: false }, max_tokens: 100 });
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
