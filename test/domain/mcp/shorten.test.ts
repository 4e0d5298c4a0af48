import { expect, test } from 'vitest';
import { lastLines, LONGEST_ANSWER, shortJson, sliceText } from '../../../domain/mcp/shorten.ts';

test('a small value is whole', () => {
  const value = { a: [1, null, 'x'], b: { c: true } };
  expect(shortJson(value)).toEqual({ text: JSON.stringify(value), isWhole: true });
});

test('a long text keeps both ends, and a long list its last items, with the number that was left out', () => {
  const { text, isWhole } = shortJson({
    log: `begin${'x'.repeat(5000)}end`,
    points: Array.from({ length: 50 }, (_, i) => i),
  });
  const { log, points } = JSON.parse(text) as { log: string; points: unknown[] };
  expect(isWhole).toBe(false);
  expect(log).toMatch(/^begin.*\[3008 characters left out\].*end$/);
  expect(points).toEqual(['[30 earlier items left out]', ...Array.from({ length: 20 }, (_, i) => 30 + i)]);
});

test.each([
  ['many texts', Array.from({ length: 20 }, () => Array.from({ length: 20 }, () => 'y'.repeat(1900)))],
  ['one deep text', [[[['z'.repeat(10 ** 6)]]]]],
  ['many keys', Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key ${i}`, 'v'.repeat(100)]))],
])('%s fit into one answer', (_, value) => {
  const { text, isWhole } = shortJson(value);
  expect(text.length).toBeLessThanOrEqual(LONGEST_ANSWER);
  expect(isWhole).toBe(false);
});

test('parts of a text are the whole text, and no part ends within a character', () => {
  const whole = 'a😀bc😀';
  for (const most of [2, 3, 4, 5, 100]) {
    const parts: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const { text, next } = sliceText(whole, { offset, most });
      expect(text.isWellFormed?.() ?? true).toBe(true);
      parts.push(text);
      offset = next;
    }
    expect(parts.join('')).toBe(whole);
  }
  expect(sliceText(whole, { offset: 100 })).toEqual({ text: '', next: null });
});

test('the last lines that fit are whole lines', () => {
  expect(lastLines('one\ntwo\nthree\n', 100)).toEqual({ text: 'one\ntwo\nthree', left: 0 });
  expect(lastLines('one\ntwo\nthree\n', 10)).toEqual({ text: 'two\nthree', left: 1 });
  expect(lastLines('x'.repeat(50), 10)).toEqual({ text: '', left: 1 });
});
