import { percent } from '../../text/format.ts';
import type { AbortDecision } from '../types.ts';

/** A decision without a forecast. */
export const plainDecision = (abort: boolean, share: number | null, reason: string): AbortDecision => ({
  abort,
  share,
  forecast: null,
  interval: null,
  reason,
});

/** Reason why a rule may not decide yet; null if it may. */
export function whyTooEarly(share: number | null, burnIn: number): string | null {
  if (share === null) return 'no point yet';
  return share < burnIn ? `at ${percent(share)} of the budget; nothing is aborted before ${percent(burnIn)}` : null;
}
