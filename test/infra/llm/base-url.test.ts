import { expect, test } from 'vitest';
import { readBaseUrl } from '../../../infra/llm/openai.ts';
import { say } from '../../support/scripted-endpoint.ts';
import { ask, startEndpoint } from './support.ts';

test.each([
  [null, 'https://api.openai.com/v1'],
  ['', 'https://api.openai.com/v1'],
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000/v1'],
  ['http://127.0.0.1:8000/', 'http://127.0.0.1:8000/v1'],
  ['http://127.0.0.1:8000/v1/', 'http://127.0.0.1:8000/v1'],
  ['https://host/api/v1', 'https://host/api/v1'],
  ['https://host/v1beta/openai//', 'https://host/v1beta/openai'],
  ['https://host/v1/chat/completions', 'https://host/v1'],
])('%s means %s', (text, baseUrl) => {
  expect(readBaseUrl(text).baseUrl).toBe(baseUrl);
});

test.each(['localhost:8000', 'not a url', 'ftp://host/v1', '/v1'])('%s is refused with an example', (text) => {
  expect(() => readBaseUrl(text)).toThrow(/^expected OPENAI_BASE_URL to be an http or https URL such as/);
});

test('a password and a query are used and never shown', () => {
  const read = readBaseUrl('https://me:secret@host/openai/v1?api-version=3');
  expect(read.baseUrl).toBe('https://me:secret@host/openai/v1');
  expect(read.query).toEqual({ 'api-version': '3' });
  expect(read.shown).toBe('https://host/openai/v1');
});

test('each way to write the same endpoint reaches it', async () => {
  const { url, requests } = await startEndpoint(say('here'));
  const origin = new URL(url).origin;
  for (const text of [origin, `${origin}/`, url, `${url}/`, `${url}/chat/completions`, `${url}?api-version=3`]) {
    expect((await ask(text)).text).toBe('here');
  }
  expect(requests).toHaveLength(6);
});
