import type { Spend } from '../../../api/spend.ts';
import { formatCount, formatSeconds, formatUsd } from '../../../../domain/text/format.ts';

/** What is counted: money, tokens, seconds on slots. */
export const UNITS = [
  { value: 'usd', words: 'USD', label: 'USD', format: formatUsd },
  { value: 'tokens', words: 'Tokens', label: 'tokens', format: formatCount },
  { value: 'slotSeconds', words: 'Slot time', label: 'time on slots', format: formatSeconds },
] as const;
export type Unit = (typeof UNITS)[number];

export const unitOf = (asked: string | null): Unit => UNITS.find(({ value }) => value === asked) ?? UNITS[0];

export const STRETCHES = [
  { value: 'hour', words: 'Hours' },
  { value: 'day', words: 'Days' },
] as const;
export type Stretch = (typeof STRETCHES)[number]['value'];

export const stretchOf = (asked: string | null): Stretch => (asked === 'day' ? 'day' : 'hour');

/** Seconds of a bar. */
export const stretchSeconds = (by: Stretch): number => (by === 'day' ? 86_400 : 3600);

/** What is spent of a limit, and the limit with its unit, as people read them. */
export function limitTexts(limit: string, spent: number, of: number): { spent: string; of: string } {
  switch (limit) {
    case 'usd':
      return { spent: formatUsd(spent), of: formatUsd(of) };
    case 'slotSeconds':
      return { spent: formatSeconds(spent), of: `${formatSeconds(of)} on slots` };
    case 'hours':
      return { spent: hours(spent), of: `${hours(of)} hours` };
    default:
      return { spent: formatCount(spent), of: `${formatCount(of)} ${limit}` };
  }
}

const hours = (amount: number): string => String(Number(amount.toFixed(amount < 10 ? 2 : 1)));

/** Whether all of a stretch of time is without spend in any unit. */
export const isEmpty = ({ total }: Spend): boolean =>
  total.usd === 0 && total.tokensIn + total.tokensOut === 0 && total.calls === 0 && total.slotSeconds === 0;
