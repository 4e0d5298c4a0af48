import { oneLine } from './sanitize.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** Removes the sign of "-0" and "-0.0000". */
export const plainZero = (text: string): string => (/^-0(\.0+)?$/.test(text) ? text.slice(1) : text);

/** Number of decimals that shows two digits of the noise; if the noise is unknown, four significant digits. */
function decimalsFor(value: number, sd?: number | null): number {
  const shown = sd && sd > 0 ? sd / 10 : Math.abs(value) / 1000;
  if (shown === 0 || !Number.isFinite(shown)) return 4;
  return Math.min(8, Math.max(0, -Math.floor(Math.log10(shown) + 1e-9)));
}

/** A measured value with the precision that its noise allows; `–` if there is no value. */
export function formatValue(value: number | null | undefined, sd?: number | null): string {
  if (value === null || value === undefined) return '–';
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-6 || size >= 1e9)) return value.toExponential(3);
  return plainZero(value.toFixed(decimalsFor(value, sd)));
}

/**
 * A result with the precision that its noise allows. A value far below its noise keeps two significant digits: for
 * example a loss near 0, whose noise was measured at large losses.
 */
export const formatResult = (value: number, sd?: number | null): string =>
  formatValue(value, sd && value !== 0 && Math.abs(value) < sd / 5 ? Math.abs(value) : sd);

/** A ratio with one decimal, or none from 10 on. */
export const formatDigits = (value: number): string => plainZero(value.toFixed(Math.abs(value) >= 9.95 ? 0 : 1));

/** A difference with its sign. */
export function formatSigned(value: number, sd?: number | null): string {
  const text = formatValue(value, sd);
  return value > 0 && !/^0(\.0+)?$/.test(text) ? `+${text}` : text;
}

/** Seconds in at most two units: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function formatSeconds(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–';
  const s = Math.max(0, seconds);
  if (s < 9.95) return `${plainZero(s.toFixed(1))} s`;
  const whole = Math.round(s);
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return two(whole, { big: MINUTE, small: 1, names: ['min', 's'] });
  if (whole < DAY) return two(whole, { big: HOUR, small: MINUTE, names: ['h', 'min'] });
  return two(whole, { big: DAY, small: HOUR, names: ['d', 'h'] });
}

function two(whole: number, unit: { big: number; small: number; names: [string, string] }): string {
  const big = Math.floor(whole / unit.big);
  const small = Math.floor((whole % unit.big) / unit.small);
  return small > 0 ? `${big} ${unit.names[0]} ${small} ${unit.names[1]}` : `${big} ${unit.names[0]}`;
}

/** The age of a moment, such as `3 min 5 s ago`. */
export const formatAgo = (then: Date | null, now: Date): string =>
  then === null
    ? '–'
    : `${formatSeconds(Math.max(1, (now.getTime() - then.getTime()) / 1000)).replace(/\.\d+/, '')} ago`;

/** A count with at most one decimal and a letter: `950`, `12.3k`, `4.5M`. */
export function formatCount(n: number): string {
  if (n < 10_000) return String(Math.round(n));
  return n < 999_950 ? `${(n / 1000).toFixed(1)}k` : `${(n / 1e6).toFixed(1)}M`;
}

/** US dollars with two decimals; below 0.1 with four, or as many as two digits need: `$0`, `$0.000012`, `$0.0042`. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0';
  if (!(usd > 0 && usd < 0.1)) return `$${usd.toFixed(2)}`;
  const decimals = Math.max(4, 1 - Math.floor(Math.log10(usd)));
  return decimals > 9 ? '<$0.00000001' : `$${usd.toFixed(decimals)}`;
}

/** A unit with a space before it; empty if the metric has none. */
export const unitText = (unit: string | null | undefined): string => (unit ? ` ${oneLine(unit)}` : '');

/** A number with at most `digits` significant digits; NaN and infinities as JavaScript writes them. */
export const significant = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));

/** A number in a prompt. Its format never changes, since prompts are compared byte by byte. */
export const numberText = (value: number): string => significant(value, 6);

/** A number in the reason of an early abort. */
export const formatAbortNumber = (value: number): string => significant(value, 5);

/** A number in the reason of a verdict: four significant digits, with an exponent if very large or very small. */
export function formatVerdictNumber(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e6 || size < 1e-4) ? value.toExponential(3) : significant(value, 4);
}

/** A gain in the reason of a verdict, with its sign. */
export const formatVerdictGain = (value: number): string =>
  value > 0 ? `+${formatVerdictNumber(value)}` : formatVerdictNumber(value);

/** A share in whole percent: `12 %`. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** A share in percent with one decimal, for error rates: `1.7 %`. */
export const finePercent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;
