import { expect, test } from 'vitest';
import { retryAfterSeconds } from '../../../infra/llm/errors.ts';

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
