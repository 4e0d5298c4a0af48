import type { SpendBlock } from '../blocks/spend-sums.ts';

/** Days that periods go back. */
const DAYS = 30;
const SECONDS = { hour: 3600, day: 86_400 };

interface Input {
  by: 'hour' | 'day';
  /** Minutes by which the zone of the days and hours is ahead of UTC. */
  ahead: number;
  now: Date;
}

/** Spend of each period: its beginning in ISO 8601, and sums. */
export interface Periods {
  at: string[];
  usd: number[];
  tokens: number[];
  slotSeconds: number[];
}

/**
 * Periods from the first one with spend, 30 days ago at most, to the current one, without gaps. Trials count when they
 * end.
 */
export function sumPeriods(blocks: readonly (SpendBlock | null)[], { by, ahead, now }: Input): Periods {
  const length = SECONDS[by];
  const numberOf = (seconds: number): number => Math.floor((seconds + ahead * 60) / length);
  const last = numberOf(now.getTime() / 1000);
  const oldest = numberOf(now.getTime() / 1000 - DAYS * 86_400);
  let first = last + 1;
  for (const block of blocks)
    for (const [at] of block?.periods ?? []) {
      const number = numberOf(at);
      if (number >= oldest && number < first) first = number;
    }
  const count = Math.max(0, last - first + 1);
  const zeros = (): number[] => new Array<number>(count).fill(0);
  const sums = { usd: zeros(), tokens: zeros(), slotSeconds: zeros() };
  for (const block of blocks)
    for (const [at, usd, tokens, seconds] of block?.periods ?? []) {
      const index = numberOf(at) - first;
      if (index < 0 || index >= count) continue;
      sums.usd[index] = (sums.usd[index] ?? 0) + usd;
      sums.tokens[index] = (sums.tokens[index] ?? 0) + tokens;
      sums.slotSeconds[index] = (sums.slotSeconds[index] ?? 0) + seconds;
    }
  const start = (index: number): Date => new Date(((first + index) * length - ahead * 60) * 1000);
  return { at: Array.from({ length: count }, (_, index) => start(index).toISOString()), ...sums };
}
