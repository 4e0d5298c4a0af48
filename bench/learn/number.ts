import type { Estimate } from './summary.ts';

/** A number as in the tables, with a minus sign and without a negative zero. */
export const number = (value: number, digits = 2): string =>
  value
    .toFixed(digits)
    .replace(/^-(0\.0+)$/, '$1')
    .replace('-', '−');

/** A mean with half of its interval. */
export const formatEstimate = ({ mean, half }: Estimate): string =>
  number(mean) + (half === null ? '' : ` ± ${number(half)}`);
