import { formatCount, formatSeconds, formatUsd } from '../domain/text/format.ts';

/** Resources that a research has used so far. */
export interface Spend {
  /** Tokens in and out of all received answers, those that came too late to be stored included. */
  tokens: number;
  usd: number;
  /** Seconds on slots of ended trials. */
  slotSeconds: number;
}

/** Spend as the workflow knows it, without seconds on slots. */
export type KnownSpend = Pick<Spend, 'tokens' | 'usd'> & Partial<Spend>;

/**
 * Describes spend: `1 min 1 s on slots · 12.3k tokens · $0.42`. Leaves out unknown seconds on slots, and tokens and
 * money of 0; may be empty.
 */
export function describeSpend({ slotSeconds, tokens, usd }: KnownSpend): string {
  const parts = slotSeconds === undefined ? [] : [`${formatSeconds(slotSeconds)} on slots`];
  if (tokens > 0) parts.push(`${formatCount(tokens)} tokens`);
  if (usd > 0) parts.push(formatUsd(usd));
  return parts.join(' · ');
}

/** Describes active time: `1 h active`. */
export const describeActive = (seconds: number): string => `${formatSeconds(seconds)} active`;
