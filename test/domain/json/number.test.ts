import { expect, test } from 'vitest';
import { decodeNumber, encodeNumber, finiteOrNull } from '../../../domain/json/number.ts';

test.each([0, -1.5, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53, Number.NaN, Infinity, -Infinity])(
  '%d survives the way through JSON',
  (value) => {
    const sent = JSON.parse(JSON.stringify(encodeNumber(value))) as ReturnType<typeof encodeNumber>;
    expect(decodeNumber(sent)).toBe(value);
  },
);

test('what JSON would turn into null travels as text', () => {
  expect([Number.NaN, Infinity, -Infinity].map(encodeNumber)).toEqual(['nan', 'inf', '-inf']);
});

test.each([
  [1.5, 1.5],
  [0, 0],
  [Number.NaN, null],
  [-Infinity, null],
  [null, null],
])('of %s a person sees %s', (value, shown) => {
  expect(finiteOrNull(value)).toBe(shown);
});
