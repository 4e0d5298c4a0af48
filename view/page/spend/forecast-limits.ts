import type { Limit } from '../../../domain/schema/budget.ts';
import { formatSeconds } from '../../../domain/text/format.ts';
import { PACE_HOURS } from './pace-window.ts';

export interface Forecast {
  reachedAt: string | null;
  words: string;
}

const LIMIT_WORDS: Record<Limit, string> = {
  trials: 'trials',
  proposals: 'proposals',
  hours: 'hours',
  hoursWithoutClaim: 'hours without a claim',
  slotSeconds: 'time on slots',
  tokens: 'tokens',
  usd: 'money',
};

/**
 * Describes the limit that is reached first: `the limit of trials is reached in 2 h at the pace of the last 24 h`. Null
 * if none will be reached.
 */
export function firstLimitReached(limits: readonly (Forecast & { limit: Limit })[]): string | null {
  const [first] = limits
    .flatMap(({ reachedAt, limit, words }) => (reachedAt === null ? [] : [{ reachedAt, limit, words }]))
    .sort((a, b) => (a.reachedAt < b.reachedAt ? -1 : 1));
  return first ? `the limit of ${LIMIT_WORDS[first.limit]} is ${first.words}` : null;
}

/** A limit and the pace of its spend. */
interface Standing {
  spent: number;
  /** The limit. */
  of: number;
  /** Spend per hour, as measured in {@link PACE_HOURS}; null before the first proposal. */
  perHour: number | null;
}

/**
 * Spend of each limit when the first limit is reached at the current pace, at most the limit itself; null if none will
 * be reached, or if one is spent already.
 */
export function spendAtFirstLimit(limits: readonly Standing[]): (number | null)[] {
  const hoursToFirst = limits.some(isSpent) ? Infinity : Math.min(...limits.map(hoursLeft).filter(isAhead));
  return limits.map(({ spent, of, perHour }) =>
    Number.isFinite(hoursToFirst) && perHour !== null ? Math.min(of, spent + perHour * hoursToFirst) : null,
  );
}

const isSpent = ({ spent, of }: Standing): boolean => spent >= of;

const hoursLeft = ({ spent, of, perHour }: Standing): number => (of - spent) / (perHour ?? 0);

const isAhead = (hours: number): boolean => Number.isFinite(hours) && hours > 0;

interface ForecastContext {
  now: Date;
  /** Reason why nothing is spent now; null while the research goes on. */
  idle: 'ended' | 'paused' | null;
}

/**
 * Forecasts for each limit, at the current pace. Only the first limit is reached; the others say so. If a limit is
 * spent, nothing more starts, so no other limit is reached.
 */
export function forecastLimits(limits: readonly (Standing & { limit: Limit })[], context: ForecastContext): Forecast[] {
  const remaining = limits.map(hoursLeft);
  const least = Math.min(...remaining.filter(isAhead));
  const first = limits[remaining.indexOf(least)];
  const spent = limits.find(isSpent);
  return limits.map((standing, index) => {
    const { reachedAt, words } = forecastOf(standing, context);
    if (spent !== undefined && reachedAt !== null)
      return { reachedAt: null, words: `not reached: the limit of ${LIMIT_WORDS[spent.limit]} is spent` };
    return first === undefined || reachedAt === null || remaining[index] === least
      ? { reachedAt, words }
      : { reachedAt: null, words: `not reached: the limit of ${LIMIT_WORDS[first.limit]} comes first` };
  });
}

function forecastOf({ spent, of, perHour }: Standing, { now, idle }: ForecastContext): Forecast {
  const at = (ms: number): string | null => (Number.isFinite(ms) && ms < 8.64e15 ? new Date(ms).toISOString() : null);
  if (spent >= of) return { reachedAt: null, words: 'spent' };
  if (idle === 'paused') return { reachedAt: null, words: 'paused' };
  if (idle === 'ended') return { reachedAt: null, words: 'not reached: the research has ended' };
  if (perHour === null) return { reachedAt: null, words: 'not known before the first proposal' };
  const secondsLeft = ((of - spent) / perHour) * 3600;
  const reachedAt = at(now.getTime() + secondsLeft * 1000);
  if (!(perHour > 0) || reachedAt === null)
    return { reachedAt: null, words: `nothing was spent in the last ${PACE_HOURS} h` };
  return { reachedAt, words: `reached in ${formatSeconds(secondsLeft)} at the pace of the last ${PACE_HOURS} h` };
}
