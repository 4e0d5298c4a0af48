import type { Spend } from '../../../api/spend.ts';
import { formatCount, formatSeconds, formatUsd } from '../../../../domain/text/format.ts';

/** Units of the spend: money, tokens, seconds on slots. */
export const UNITS = [
  { value: 'usd', words: 'USD', label: 'USD', format: formatUsd },
  { value: 'tokens', words: 'Tokens', label: 'tokens', format: formatCount },
  { value: 'slotSeconds', words: 'Slot time', label: 'time on slots', format: formatSeconds },
] as const;
export type Unit = (typeof UNITS)[number];

export const unitOf = (name: string | null): Unit => UNITS.find(({ value }) => value === name) ?? UNITS[0];

export const STRETCHES = [
  { value: 'hour', words: 'Hours' },
  { value: 'day', words: 'Days' },
] as const;
export type Stretch = (typeof STRETCHES)[number]['value'];

export const stretchOf = (name: string | null): Stretch => (name === 'day' ? 'day' : 'hour');

/** Width of a bar in seconds. */
export const stretchSeconds = (stretch: Stretch): number => (stretch === 'day' ? 86_400 : 3600);

/** Texts of the amount spent of a limit, and of the limit with its unit. */
export function limitTexts(limit: string, spent: number, total: number): { spent: string; total: string } {
  switch (limit) {
    case 'usd':
      return { spent: formatUsd(spent), total: formatUsd(total) };
    case 'slotSeconds':
      return { spent: formatSeconds(spent), total: `${formatSeconds(total)} on slots` };
    case 'hours':
      return { spent: hours(spent), total: `${hours(total)} hours` };
    case 'hoursWithoutClaim':
      return { spent: hours(spent), total: `${hours(total)} hours without a claim` };
    default:
      return { spent: formatCount(spent), total: `${formatCount(total)} ${limit}` };
  }
}

const hours = (amount: number): string => String(Number(amount.toFixed(amount < 10 ? 2 : 1)));

/** True if nothing was spent in any unit. */
export const isEmpty = ({ total }: Spend): boolean =>
  total.usd === 0 && total.tokensIn + total.tokensOut === 0 && total.calls === 0 && total.slotSeconds === 0;
