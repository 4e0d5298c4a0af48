import { expect, test } from 'vitest';
import { cleanJson, cleanText } from '../../../domain/json/clean-text.ts';

test('what no database and no wire can hold becomes the replacement character', () => {
  expect(cleanText('a\0b\ud800c\udc00')).toBe('a\ufffdb\ufffdc\ufffd');
  expect(cleanText('a pair \u{1f600} stays')).toBe('a pair \u{1f600} stays');
});

test('in a JSON value every text is cleaned, keys too, and nothing else changes', () => {
  const value = { 'k\0': ['\ud800', 1, null, true, { inner: 'fine' }] };
  expect(cleanJson(value)).toEqual({ 'k\ufffd': ['\ufffd', 1, null, true, { inner: 'fine' }] });
});
