import { describe, expect, test } from 'vitest';
import { cleanJson, cleanText } from '../../../domain/json/clean-text.ts';
import { decodeNumber, encodeNumber, finiteOrNull } from '../../../domain/json/number.ts';

test('characters that neither Postgres nor UTF-8 can hold become the replacement character', () => {
  expect(cleanText('a\0b\ud800c\udc00')).toBe('a\ufffdb\ufffdc\ufffd');
  expect(cleanText('a pair \u{1f600} stays')).toBe('a pair \u{1f600} stays');
});

test('every text in a JSON value is cleaned, keys included, and nothing else changes', () => {
  const value = { 'k\0': ['\ud800', 1, null, true, { inner: 'fine' }] };
  expect(cleanJson(value)).toEqual({ 'k\ufffd': ['\ufffd', 1, null, true, { inner: 'fine' }] });
});

describe('a number', () => {
  test.each([0, -1.5, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53, Number.NaN, Infinity, -Infinity])(
    '%d survives a round trip through JSON',
    (value) => {
      const sent = JSON.parse(JSON.stringify(encodeNumber(value))) as ReturnType<typeof encodeNumber>;
      expect(decodeNumber(sent)).toBe(value);
    },
  );

  test('a number that JSON would turn into null is encoded as text', () => {
    expect([Number.NaN, Infinity, -Infinity].map(encodeNumber)).toEqual(['nan', 'inf', '-inf']);
  });

  test.each([
    [1.5, 1.5],
    [0, 0],
    [Number.NaN, null],
    [-Infinity, null],
    [null, null],
  ])('%s is shown to a person as %s', (value, shown) => {
    expect(finiteOrNull(value)).toBe(shown);
  });
});
