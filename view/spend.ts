import { formatCount, formatSeconds, formatUsd } from '../domain/text/format.ts';

/** Resources that a research has used so far. */
export interface Spend {
  /** In and out, of answers that came; also of those that came too late to be stored. */
  tokens: number;
  usd: number;
  /** Seconds on slots, of ended trials. */
  slotSeconds: number;
}

/** Seconds on slots are not known to the workflow. */
export type KnownSpend = Pick<Spend, 'tokens' | 'usd'> & Partial<Spend>;

/**
 * Slots where they are known, tokens and money where a model was asked: `1 min 1 s on slots · 12.3k tokens · $0.42`.
 * Empty where nothing of it is known to be spent.
 */
export function describeSpend({ slotSeconds, tokens, usd }: KnownSpend): string {
  const parts = slotSeconds === undefined ? [] : [`${formatSeconds(slotSeconds)} on slots`];
  if (tokens > 0) parts.push(`${formatCount(tokens)} tokens`);
  if (usd > 0) parts.push(formatUsd(usd));
  return parts.join(' · ');
}

/** Time under way in words: `1 h active`. */
export const describeActive = (seconds: number): string => `${formatSeconds(seconds)} active`;
