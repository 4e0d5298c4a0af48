import { expect, test } from 'vitest';
import { formatInteger, formatSigned, formatValue } from '../../../../dashboard/web/parts/numbers.ts';
import { claimText, gainText, intervalNote, meanText } from '../../../../dashboard/web/parts/value.tsx';

test('the thousands of a value are separated, its decimals and an exponent are not', () => {
  expect([1276424.5, -12345, 999, 0.12345].map((value) => formatValue(value))).toEqual([
    '1\u202f276\u202f425',
    '-12\u202f345',
    '999.0',
    '0.1235',
  ]);
  expect([formatSigned(7326, 1000), formatInteger(50_000), formatValue(2e12), formatValue(NaN)]).toEqual([
    '+7\u202f326',
    '50\u202f000',
    '2.000e+12',
    'nan',
  ]);
});

const EXACT = { value: 0.9133, low: null, high: null, sd: 0 };

test('a value of which no run varied has no interval, and the note says why', () => {
  expect(meanText(EXACT, EXACT.sd)).toBe('0.9133');
  expect(intervalNote(EXACT)).toBe('no interval, since no run varied');
  expect(intervalNote({ ...EXACT, sd: null })).toBe('no interval yet');
  expect(intervalNote({ ...EXACT, low: 0.9, high: 0.92, sd: 0.01 })).toBe('± 95 % interval');
});

test('a claim to which runs were added has its value then and its value now, each with its number of runs', () => {
  const made = { value: 1276424, low: 1269098, high: 1283750, n: 6 };
  const claim = { value: 1275001, low: 1269333, high: 1280669, n: 10, made };
  expect(claimText(claim).replaceAll('\u202f', ' ')).toBe(
    'when claimed 1 276 424 ± 7 326 (6 runs), now 1 275 001 ± 5 668 (10 runs)',
  );
  expect(claimText({ ...made, made }).replaceAll('\u202f', ' ')).toBe('1 276 424 ± 7 326 (6 runs)');
});

test('a gain without spread has no interval', () => {
  expect(gainText({ value: 0.5, low: 0.5, high: 0.5 })).toBe('+0.5000');
  expect(gainText({ value: 0.5, low: 0.4, high: 0.6 })).toContain(' to ');
});
