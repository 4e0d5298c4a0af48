import { expect, test } from 'vitest';
import { jsonBytes } from '../../../domain/json/json-bytes.ts';
import { FEEDBACK_BYTES, shownCases, storedFeedback } from '../../../domain/metric/feedback.ts';

const reported = (count: number, text: string) =>
  Array.from({ length: count }, (_, i) => ({ name: `case ${i}`, value: i, text, heldOut: i % 2 === 1 }));

test('cases that fit are stored as they are, without NUL and with encoded numbers', () => {
  const given = [{ name: 'a\0', value: Number.NaN, text: 'b', heldOut: false }];
  expect(storedFeedback(given)).toEqual({ cases: [{ name: 'a\uFFFD', value: 'nan', text: 'b' }], omitted: 0 });
});

test.each([1, 10, 100, 300, 2000])('%i cases with long texts take at most 8 KiB', (count) => {
  const stored = storedFeedback(reported(count, '→x'.repeat(1500)));
  expect(jsonBytes(stored)).toBeLessThanOrEqual(FEEDBACK_BYTES);
  expect(stored.cases.length + stored.omitted).toBe(count);
  expect(stored.omitted > 0).toBe(count > 150);
  // All texts are cut before any case is left out.
  if (stored.omitted > 0) expect(new Set(stored.cases.map(({ text }) => text))).toEqual(new Set(['']));
});

test('proposers get only the cases that are not held out', () => {
  const shown = shownCases(storedFeedback(reported(4, 'x')));
  expect(shown.cases.map(({ name }) => name)).toEqual(['case 0', 'case 2']);
  expect(JSON.stringify(shown)).not.toContain('heldOut');
});
