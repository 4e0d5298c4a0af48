import { describe, expect, it } from 'vitest';
import {
  finePercent,
  formatAgo,
  formatCount,
  formatSeconds,
  formatSigned,
  formatUsd,
  formatValue,
  numberText,
  percent,
  formatAbortNumber,
  formatVerdictNumber,
  formatVerdictGain,
  unitText,
} from '../../../domain/text/format.ts';

describe('numbers', () => {
  it('never show a negative zero', () => {
    expect(formatValue(-0)).toBe('0.0000');
    expect(formatValue(-0.00001, 0.1)).toBe('0.00');
    expect(formatSigned(-0.00001, 0.1)).toBe('0.00');
    expect(formatSigned(0.00001, 0.1)).toBe('0.00');
    expect(formatSeconds(-0)).toBe('0.0 s');
  });

  it.each([
    [2.31449, undefined, '2.314'],
    [2.31449, 0.012, '2.314'],
    [2.31449, 0.00012, '2.31449'],
    [0.00123456, undefined, '0.001235'],
    [123456.789, undefined, '123457'],
    [123456.789, 30, '123457'],
    [12.3456, 0, '12.35'],
    [-3.5, undefined, '-3.500'],
    [1.5e-9, undefined, '1.500e-9'],
    [3e12, undefined, '3.000e+12'],
    [Number.NaN, undefined, 'nan'],
    [-Infinity, undefined, '-inf'],
    [null, undefined, '–'],
  ])('show %s with noise %s as %s', (value, sd, text) => {
    expect(formatValue(value, sd)).toBe(text);
  });

  it.each([
    [0.44, '0.4 s'],
    [9.94, '9.9 s'],
    [9.96, '10 s'],
    [59.4, '59 s'],
    [59.9, '1 min'],
    [185, '3 min 5 s'],
    [7860, '2 h 11 min'],
    [86_400 * 3 + 3600 * 4, '3 d 4 h'],
    [null, '–'],
  ])('show %s seconds as %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });

  it('show the age of a time, never one in the future', () => {
    const now = new Date('2026-11-01T12:00:00Z');
    expect(formatAgo(new Date('2026-11-01T11:59:55.400Z'), now)).toBe('4 s ago');
    expect(formatAgo(new Date('2026-11-01T12:00:09Z'), now)).toBe('1 s ago');
    expect(formatAgo(new Date('2026-11-01T10:00:00Z'), now)).toBe('2 h ago');
    expect(formatAgo(null, now)).toBe('–');
  });

  it('shorten counts and keep the significant digits of money', () => {
    expect([950, 12_345, 999_949, 999_950, 4_500_000].map(formatCount)).toEqual([
      '950',
      '12.3k',
      '999.9k',
      '1.0M',
      '4.5M',
    ]);
    expect([0, 0.0042, 0.42, 12].map(formatUsd)).toEqual(['$0', '$0.0042', '$0.42', '$12.00']);
    expect([0.00004, 0.0000123, 0.00000001, 1e-12].map(formatUsd)).toEqual([
      '$0.000040',
      '$0.000012',
      '$0.000000010',
      '<$0.00000001',
    ]);
  });
});

describe('numbers inside a sentence', () => {
  it.each([
    [1234567.8, '1.235e+6', '1234600', '1234570'],
    [0.000012345678, '1.235e-5', '0.000012346', '0.0000123457'],
    [2.0000001, '2', '2', '2'],
    [0, '0', '0', '0'],
    [Number.NaN, 'unknown', 'NaN', 'NaN'],
    [-Infinity, 'unknown', '-Infinity', '-Infinity'],
  ])('show %s as %s in a verdict, as %s in an early abort, as %s in a prompt', (value, verdict, abort, prompt) => {
    expect([formatVerdictNumber(value), formatAbortNumber(value), numberText(value)]).toEqual([verdict, abort, prompt]);
  });

  it('have a sign for gains, and the unit of the metric if there is one', () => {
    expect([0.5, -0.5, 0].map(formatVerdictGain)).toEqual(['+0.5', '-0.5', '0']);
    expect([unitText('bits\n/ byte'), unitText(null), unitText('')]).toEqual([' bits / byte', '', '']);
  });

  it('are whole percents for shares, and finer for rates of errors', () => {
    expect([percent(0.125), finePercent(0.0172), finePercent(0.2)]).toEqual(['13 %', '1.7 %', '20 %']);
  });
});
