import { describe, expect, test } from 'vitest';
import { readBaseUrl } from '../../../infra/llm/endpoint.ts';
import { answerWith } from '../../support/scripted-endpoint.ts';
import { ask, startEndpoint } from './support.ts';
import { priceOf } from '../../../infra/llm.ts';
import { retryAfterSeconds } from '../../../infra/llm/errors.ts';

describe('the base URL', () => {
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
    const { url, requests } = await startEndpoint(answerWith('here'));
    const origin = new URL(url).origin;
    for (const text of [origin, `${origin}/`, url, `${url}/`, `${url}/chat/completions`, `${url}?api-version=3`]) {
      expect((await ask(text)).text).toBe('here');
    }
    expect(requests).toHaveLength(6);
  });
});

describe('a price', () => {
  const prices = { small: { input: 0.15, output: 0.6 }, free: { input: 0, output: 0 } };

  test('a call costs its tokens in and out by the price per million', () => {
    expect(priceOf({ model: 'small', tokensIn: 2_000_000, tokensOut: 500_000 }, prices)).toBeCloseTo(0.6, 12);
  });

  test('a model that is free costs 0', () => {
    expect(priceOf({ model: 'free', tokensIn: 10, tokensOut: 10 }, prices)).toBe(0);
  });

  test.each([
    ['a model without a price', { model: 'other', tokensIn: 1, tokensOut: 1 }],
    ['a model named like a property of every object', { model: 'constructor', tokensIn: 1, tokensOut: 1 }],
    ['an unknown count in', { model: 'small', tokensIn: null, tokensOut: 1 }],
    ['an unknown count out', { model: 'small', tokensIn: 1, tokensOut: null }],
  ])('%s has an unknown cost, not none', (_name, use) => {
    expect(priceOf(use, prices)).toBeNull();
  });
});

describe('a wait that an endpoint asks for', () => {
  const now = Date.parse('2030-01-01T00:00:00Z');
  const read = (headers: Record<string, string>) => retryAfterSeconds(new Headers(headers), now);

  test('a date is the time until then, and 0 once it is over', () => {
    expect(read({ 'retry-after': 'Tue, 01 Jan 2030 00:01:30 GMT' })).toBe(90);
    expect(read({ 'retry-after': 'Mon, 31 Dec 2029 23:00:00 GMT' })).toBe(0);
  });

  test.each(['soon', '-5 apples', ''])('%j is no wait', (text) => {
    expect(read({ 'retry-after': text })).toBeNull();
  });

  test('fractions of a second count', () => {
    expect(read({ 'retry-after': '0.5' })).toBe(0.5);
  });
});
