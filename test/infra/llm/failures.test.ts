import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createOpenAiLlm } from '../../../infra/llm/openai.ts';
import { answerWith, type Behaviour } from '../../support/scripted-endpoint.ts';
import { ask, fail, KEY, startEndpoint } from './support.ts';

const status = (code: number, body: string | object = ''): Behaviour => ({ kind: 'status', status: code, body });

test.each([408, 409, 425, 429, 500, 502, 503, 504, 529])('status %i means down', async (code) => {
  const { url } = await startEndpoint(status(code, 'try later'));
  const error = await fail(url);
  expect(error).toMatchObject({ kind: 'down', status: code });
  expect(error.message).toMatch(`answered ${code}`);
  expect(error.message).toMatch('try later');
});

test.each([400, 401, 402, 403, 404, 413, 422])('status %i means refused', async (code) => {
  const { url } = await startEndpoint(status(code, { error: { message: 'no such thing' } }));
  const error = await fail(url);
  expect(error).toMatchObject({ kind: 'refused', status: code });
  expect(error.message).toMatch(/no such thing$/);
});

test('a redirect is refused with the place to go, and not followed', async () => {
  const other = await startEndpoint(answerWith('x'));
  const { url } = await startEndpoint({ kind: 'status', status: 308, headers: { location: other.url } });
  expect((await fail(url)).message).toMatch(`it moved to ${other.url}: change OPENAI_BASE_URL`);
  expect(other.requests).toHaveLength(0);
});

test.each([
  [
    'with a key in its query',
    '/v2/chat?api-key=secret-1#secret-2',
    /it moved to http:\/\/127\.0\.0\.1:\d+\/v2\/chat: /,
  ],
  ['with a user', 'http://secret-1:secret-2@models.test/v2', /it moved to http:\/\/models\.test\/v2: /],
  ['that is no URL', 'http://secret-1 secret-2:x/', /it moved to a location that is no URL: /],
])('a redirect %s is reported without possible secrets', async (_, location, pattern) => {
  const body = `<a href="${location}">moved</a>`;
  const { url } = await startEndpoint({ kind: 'status', status: 307, headers: { location }, body });
  const { message } = await fail(url);
  expect(message).toMatch(pattern);
  expect(message).not.toContain('secret');
});

test.each([
  ['garbage', '<html>hello</html>'],
  ['an empty body', ''],
  ['JSON of another kind', '[1, 2]'],
  ['null', 'null'],
  ['no choices', { choices: [] }],
  ['choices of a wrong type', { choices: 'none' }],
  ['a text that is a number', { choices: [{ message: { content: 12 } }] }],
  ['choices that are null', { id: 'x', choices: null, usage: { prompt_tokens: 3 } }],
  ['no message', { choices: [{ text: 'old style' }] }],
])('%s is malformed', async (_name, body) => {
  const { url } = await startEndpoint(status(200, body));
  const error = await fail(url);
  expect(error.kind).toBe('malformed');
  expect(error.message).toMatch(/^expected a chat completion from http:\/\/127.0.0.1:\d+\/v1, got /);
});

test('an error inside a successful answer counts as the status that it names', async () => {
  const { url } = await startEndpoint([
    status(200, { error: { code: 429, message: 'upstream is busy' } }),
    status(200, { error: { code: 400, message: 'no such model' } }),
    status(200, { error: { code: 'odd', message: 'who knows' } }),
  ]);
  expect(await fail(url)).toMatchObject({ kind: 'down', status: 429 });
  expect(await fail(url)).toMatchObject({ kind: 'refused', status: 400 });
  expect((await fail(url)).message).toMatch('who knows');
});

test.each([
  ['reset', 'down'],
  ['cut', 'down'],
  ['noise', 'malformed'],
  ['flood', 'malformed'],
] as const)('a connection that ends in %s is %s', async (kind, expected) => {
  const { url } = await startEndpoint({ kind });
  expect((await fail(url)).kind).toBe(expected);
});

test('an answer without end is read no further than its bound', async () => {
  const endpoint = await startEndpoint({ kind: 'flood' });
  expect((await fail(endpoint.url)).message).toMatch('expected at most 4194304 bytes of answer, got more');
  await expect.poll(() => endpoint.connections()).toBe(0);
});

test('an unknown host is down, and says which', async () => {
  // Without a name server, the lookup takes long to fail.
  const error = await fail('http://no-such-host.invalid/v1', { request: { deadlineSeconds: 200 } });
  expect(error.kind).toBe('down');
  expect(error.message).toMatch(/^cannot reach http:\/\/no-such-host.invalid\/v1 .*(ENOTFOUND|EAI_AGAIN)/);
});

test('a closed port on a name with several addresses says what each one answered', async () => {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  await new Promise((resolve) => server.close(resolve));
  const error = await fail(`http://localhost:${port}/v1`);
  expect(error.kind).toBe('down');
  expect(error.message).toMatch('ECONNREFUSED');
});

test('https to a server without it is down, not a crash', async () => {
  const { url } = await startEndpoint(answerWith('x'));
  expect((await fail(url.replace('http:', 'https:'))).kind).toBe('down');
});

test.each([
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after-ms': '1500', 'retry-after': '7' }, 1.5],
  [{}, null],
])('the wait that the endpoint asks for in %j is read as %s s', async (headers, seconds) => {
  const { url } = await startEndpoint({ kind: 'status', status: 429, headers });
  expect((await fail(url)).retryAfterSeconds).toBe(seconds);
});

test('the key is in no error, even if the endpoint echoes it', async () => {
  const long = 'x'.repeat(450);
  const echoes: Behaviour[] = [
    status(401, { error: { message: `Incorrect API key provided: ${KEY}` } }),
    status(500, `${long} ${KEY}`),
    status(200, `<html>${KEY}</html>`),
    { kind: 'status', status: 307, headers: { location: `http://127.0.0.1/?key=${KEY}` } },
  ];
  const { url } = await startEndpoint(echoes);
  for (let call = 0; call < echoes.length; call++) {
    const error = await fail(url);
    const shown = `${error.message} ${error.stack} ${JSON.stringify(error)}`;
    expect(shown).not.toContain(KEY.slice(0, 12));
    expect(error.message.length).toBeLessThan(510);
  }
});

test('the key is in no answer if the endpoint echoes it', async () => {
  const message = { content: `LR = 1 # ${KEY}`, refusal: `not with ${KEY}` };
  const body = { model: KEY, choices: [{ message, finish_reason: `${'x'.repeat(90)}${KEY}` }] };
  const { url } = await startEndpoint(status(200, body));
  const answer = await ask(url);
  expect(answer).toMatchObject({ text: 'LR = 1 # [key]', refusal: 'not with [key]', model: '[key]' });
  expect(JSON.stringify(answer)).not.toContain(KEY.slice(0, 8));
});

test('a key as short as a word is not replaced in an answer', async () => {
  const { url } = await startEndpoint(status(200, { choices: [{ message: { content: 'a test' } }] }));
  expect((await ask(url, { apiKey: 'test' })).text).toBe('a test');
});

test('a byte order mark before an answer is ignored', async () => {
  const { url } = await startEndpoint(
    status(200, `\ufeff${JSON.stringify({ choices: [{ message: { content: 'a' } }] })}`),
  );
  expect((await ask(url)).text).toBe('a');
});

test('a key that no header can carry is refused without being shown', () => {
  const create = () => createOpenAiLlm({ baseUrl: null, apiKey: 'sk-one\nsk-two' });
  expect(create).toThrow(/^expected OPENAI_API_KEY to be printable ASCII .* got 13 characters/);
  expect(create).not.toThrow(/sk-/);
});

test('a page of HTML as an error becomes one short line', async () => {
  const { url } = await startEndpoint(status(502, `<html>\n${'<p>Bad gateway</p>\n'.repeat(5000)}`));
  const { message } = await fail(url);
  expect(message).not.toContain('\n');
  expect(message.length).toBeLessThan(510);
});
