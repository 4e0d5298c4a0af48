import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGateway } from '../../../infra/gateway/create-gateway.ts';
import { readEndpoints } from '../../../infra/gateway/endpoints.ts';
import { closeAfterTest, createMemoryLedger, exchange, KEY, openGateway, REQUESTS, startEndpoint } from './support.ts';

const errorIn = (body: string): unknown => (JSON.parse(body) as { error: unknown }).error;

test.each([
  ['POST', '/v1/files'],
  ['GET', '/v1/chat/completions'],
  ['POST', '/v1/responses/resp_1/cancel'],
  ['POST', '/v1/../v1/messages'],
  ['POST', 'http://elsewhere.test/v1/messages'],
  ['POST', '/v1beta/models/m%2F..:generateContent'],
  ['POST', '/v1beta/models/m:batchGenerateContent'],
  ['PUT', '/v1/messages'],
  ['GET', '/v1/models/../files'],
  ['GET', '/'],
])('%s %s is refused by name', async (method, url) => {
  const endpoint = await startEndpoint();
  const { path, ledger } = await openGateway(endpoint.url);
  const { status, body } = await exchange(path, url, { method, body: '{}' });
  expect(status).toBe(403);
  expect(JSON.parse(body)).toMatchObject({ type: 'error', error: { type: 'permission_error', code: 'path' } });
  expect(body).toMatch(`got ${method} ${url}`);
  expect([endpoint.requests, ledger.calls]).toEqual([[], []]);
});

test('a spent budget is a 403 with its sentence, and nothing is sent', async () => {
  const endpoint = await startEndpoint();
  const { path } = await openGateway(endpoint.url, { ledger: createMemoryLedger(1) });
  const { path: url, body } = REQUESTS.messages;
  expect(await exchange(path, url, { body })).toMatchObject({ status: 200 });
  const refused = await exchange(path, url, { body });
  expect(refused.status).toBe(403);
  expect(errorIn(refused.body)).toEqual({
    type: 'permission_error',
    message: 'perpetua: the budget of this trial is spent',
    code: 'budget',
  });
  expect(endpoint.requests).toHaveLength(1);
});

test('a ledger that fails keeps the call from leaving, and the caller may repeat it', async () => {
  const endpoint = await startEndpoint();
  const ledger = { ...createMemoryLedger(), begin: () => Promise.reject(new Error('no database')) };
  const { path, log } = await openGateway(endpoint.url, { ledger });
  expect(await exchange(path, REQUESTS.chat.path, { body: REQUESTS.chat.body })).toMatchObject({ status: 503 });
  expect(endpoint.requests).toEqual([]);
  expect(log).toEqual(['model gateway: proposer: no database']);
});

test.each([
  ['chat', 'OPENAI_API_KEY or OPENAI_BASE_URL'],
  ['responses', 'OPENAI_API_KEY or OPENAI_BASE_URL'],
  ['messages', 'ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL'],
  ['gemini', 'GEMINI_API_KEY or GOOGLE_GEMINI_BASE_URL'],
] as const)('without an endpoint, %s is refused with the variables to set', async (name, variables) => {
  const { path } = await openGateway(null);
  const { status, body } = await exchange(path, REQUESTS[name].path, { body: REQUESTS[name].body });
  expect(status).toBe(403);
  expect(body).toMatch(`set ${variables} where the worker starts`);
});

test.each([
  ['no JSON', 'model=m', {}, 400],
  ['a list', '[]', {}, 400],
  ['a compressed body', '{}', { 'content-encoding': 'zstd' }, 415],
  ['a body of very many values', `{"messages":[${'{},'.repeat(200_000)}{}]}`, {}, 413],
  ['a body over its limit', '', { 'content-length': String(40 * 1024 * 1024), expect: '100-continue' }, 413],
])('%s is refused before it leaves', async (_, body, headers, status) => {
  const endpoint = await startEndpoint();
  const { path, ledger } = await openGateway(endpoint.url);
  expect(await exchange(path, '/v1/chat/completions', { body, headers })).toMatchObject({ status });
  expect([endpoint.requests, ledger.calls]).toEqual([[], []]);
});

test('a body over its limit without a length is refused while it is sent', async () => {
  const { path } = await openGateway('http://127.0.0.1:1');
  const body = `{"model":"${'m'.repeat(33 * 1024 * 1024)}"}`;
  const headers = { 'transfer-encoding': 'chunked' };
  expect(await exchange(path, '/v1/chat/completions', { body, headers })).toMatchObject({ status: 413 });
});

test('an error of the endpoint passes unchanged, but for the key', async () => {
  const said = { error: { message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key' } };
  const endpoint = await startEndpoint({
    answer: () => ({ status: 401, headers: { 'x-request-id': 'r1', 'x-echo': KEY, 'set-cookie': 'a=b' }, body: said }),
  });
  const { path, ledger } = await openGateway(endpoint.url);
  const received = await exchange(path, REQUESTS.messages.path, { body: REQUESTS.messages.body });
  expect(received).toMatchObject({ status: 401, headers: { 'x-request-id': 'r1', 'x-echo': '[key]' } });
  expect(received.body).toBe(JSON.stringify(said).replace(KEY, '*'.repeat(KEY.length)));
  expect(received.headers).not.toHaveProperty('set-cookie');
  const { answer } = await ledger.ended(0);
  expect(answer).toMatchObject({ status: 401, body: received.body, cut: false });
  expect(answer!.usage).toMatchObject({ tokensIn: null, tokensOut: null, estimated: false });
});

test('a redirect is not followed, and not passed on', async () => {
  const other = await startEndpoint();
  const headers = { location: `${other.url}/v1/messages` };
  const endpoint = await startEndpoint({ answer: () => ({ status: 307, headers }) });
  const { path, ledger } = await openGateway(endpoint.url);
  const { status, body } = await exchange(path, REQUESTS.messages.path, { body: REQUESTS.messages.body });
  expect(status).toBe(502);
  expect(body).toMatch('answered with a redirect; change ANTHROPIC_BASE_URL');
  expect((await ledger.ended(0)).answer).toMatchObject({ status: 307 });
  expect(other.requests).toEqual([]);
});

test('an endpoint that is down is a 502 that shows no address, and the ledger has the reason', async () => {
  const { path, ledger, log } = await openGateway('http://127.0.0.1:1');
  const { status, body } = await exchange(path, REQUESTS.chat.path, { body: REQUESTS.chat.body });
  expect(status).toBe(502);
  expect(body).not.toMatch('127.0.0.1');
  const reason = 'cannot reach http://127.0.0.1:1/v1 (check OPENAI_BASE_URL, and that it is up): connect ECONNREFUSED';
  expect((await ledger.ended(0)).error).toMatch(reason);
  expect(log[0]).toMatch(reason);
});

test('an endpoint that comes back is a pause for the caller, whose call has one row', async () => {
  const before = await startEndpoint();
  const where = before.port ?? 0;
  await before.close();
  const { path, ledger } = await openGateway(before.url, { unreachableSeconds: 60, random: () => 0 });
  const received = exchange(path, REQUESTS.chat.path, { body: REQUESTS.chat.body });
  expect((await ledger.ended(0)).error).toMatch('ECONNREFUSED');
  await startEndpoint({ where });
  expect(await received).toMatchObject({ status: 200 });
});

test('a path that is too long for a socket is refused', async () => {
  const gateway = createGateway({ endpoints: readEndpoints({ openai: NONE, anthropic: NONE, gemini: NONE }) });
  const path = join(tmpdir(), 'x'.repeat(100), 'llm.sock');
  const caller = { ledger: createMemoryLedger(), role: 'proposer' as const };
  await expect(gateway.serve(path, caller)).rejects.toThrow(
    `expected a socket's path of at most 103 bytes, got ${path.length}: ${path}; set PERPETUA_HOME to a shorter path`,
  );
});
const NONE = { baseUrl: null, apiKey: null };

test('a socket replaces what a dead process left, and a closed one leaves the socket of its successor', async () => {
  const endpoint = await startEndpoint();
  const at = { baseUrl: endpoint.url, apiKey: KEY };
  const gateway = createGateway({ endpoints: readEndpoints({ openai: at, anthropic: at, gemini: at }) });
  const path = join(mkdtempSync(join(tmpdir(), 'perpetua-gateway-')), 'llm.sock');
  writeFileSync(path, 'a leftover');
  const caller = { ledger: createMemoryLedger(), role: 'evaluator' as const };
  const first = await gateway.serve(path, caller);
  expect(statSync(path).mode & 0o777).toBe(0o666);
  const second = await gateway.serve(path, caller, { mode: 0o600 });
  closeAfterTest(second.close);
  await first.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await exchange(path, REQUESTS.chat.path, { body: REQUESTS.chat.body })).toMatchObject({ status: 200 });
  await second.close();
  expect(() => readFileSync(path)).toThrow('ENOENT');
});
