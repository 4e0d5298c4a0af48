import type { Limit } from '../../../domain/schema/budget.ts';
import { formatSeconds } from '../../../domain/text/format.ts';

/** Hours by whose pace it is told when a limit is reached. */
export const PACE_HOURS = 24;

export interface Forecast {
  reachedAt: string | null;
  words: string;
}

const LIMIT_WORDS: Record<Limit, string> = {
  ...{ trials: 'trials', proposals: 'proposals', hours: 'hours', slotSeconds: 'time on slots', tokens: 'tokens' },
  usd: 'money',
};

/** `the limit of trials is reached in 2 h at the pace of the last 24 h`: of the limit that is reached first; null where none will be. */
export function firstLimitReached(limits: readonly (Forecast & { limit: Limit })[]): string | null {
  const [first] = limits
    .flatMap(({ reachedAt, limit, words }) => (reachedAt === null ? [] : [{ reachedAt, limit, words }]))
    .sort((a, b) => (a.reachedAt < b.reachedAt ? -1 : 1));
  return first ? `the limit of ${LIMIT_WORDS[first.limit]} is ${first.words}` : null;
}

/** A limit, and how fast it is spent. */
interface Standing {
  spent: number;
  /** The limit. */
  of: number;
  /** Spent in the hours before. */
  recent: number;
  /** How long that was: fewer hours where it began later. */
  hours: number;
}

/**
 * What of each limit of a research is spent when the first of them is reached at the pace of the last hours, the limit at most;
 * null where none will be.
 */
export function spendAtFirstLimit(limits: readonly Standing[]): (number | null)[] {
  const left = Math.min(...limits.map(hoursLeft).filter(isAhead));
  return limits.map(({ spent, of, recent, hours }) =>
    Number.isFinite(left) ? Math.min(of, spent + (recent / hours) * left) : null,
  );
}

const hoursLeft = ({ spent, of, recent, hours }: Standing): number => (of - spent) / (recent / hours);

const isAhead = (hours: number): boolean => Number.isFinite(hours) && hours > 0;

interface Seen {
  now: Date;
  /** Why nothing of it is spent now; null where it goes on. */
  idle: 'ended' | 'paused' | null;
}

/** When each limit of a research is reached at the pace of the last hours, and that in words; only the first of them is. */
export function forecastLimits(limits: readonly (Standing & { limit: Limit })[], seen: Seen): Forecast[] {
  const lefts = limits.map(hoursLeft);
  const least = Math.min(...lefts.filter(isAhead));
  const first = limits[lefts.indexOf(least)];
  return limits.map((one, index) => {
    const { reachedAt, words } = forecastOf(one, seen);
    return first === undefined || reachedAt === null || lefts[index] === least
      ? { reachedAt, words }
      : { reachedAt: null, words: `not reached: the limit of ${LIMIT_WORDS[first.limit]} comes first` };
  });
}

function forecastOf({ spent, of, recent, hours }: Standing, { now, idle }: Seen): Forecast {
  const at = (ms: number): string | null => (Number.isFinite(ms) && ms < 8.64e15 ? new Date(ms).toISOString() : null);
  if (spent >= of) return { reachedAt: null, words: 'spent' };
  if (idle !== null) return { reachedAt: null, words: idle === 'ended' ? 'not reached: it has ended' : 'paused' };
  const left = ((of - spent) / (recent / hours)) * 3600;
  const reachedAt = at(now.getTime() + left * 1000);
  if (!(recent > 0) || !(hours > 0) || reachedAt === null)
    return { reachedAt: null, words: `nothing was spent in the last ${PACE_HOURS} h` };
  return { reachedAt, words: `reached in ${formatSeconds(left)} at the pace of the last ${PACE_HOURS} h` };
}
