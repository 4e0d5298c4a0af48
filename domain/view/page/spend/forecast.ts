import { formatSeconds } from '../../../text/format.ts';

/** Hours by whose pace it is told when a limit is reached. */
export const PACE_HOURS = 24;

interface Pace {
  spent: number;
  /** The limit. */
  of: number;
  /** Spent in the hours before. */
  recent: number;
  /** How long that was: fewer hours where it began later. */
  hours: number;
  /** Nothing is spent any more. */
  over: boolean;
}

export interface Forecast {
  reachedAt: string | null;
  words: string;
}

/** When a limit is reached at the pace of the last hours, and that in words. */
export function forecastOf({ spent, of, recent, hours, over }: Pace, now: Date): Forecast {
  const at = (ms: number): string | null => (Number.isFinite(ms) && ms < 8.64e15 ? new Date(ms).toISOString() : null);
  if (spent >= of) return { reachedAt: null, words: 'spent' };
  if (over) return { reachedAt: null, words: 'not reached: it has ended' };
  const left = ((of - spent) / (recent / hours)) * 3600;
  const reachedAt = at(now.getTime() + left * 1000);
  if (!(recent > 0) || !(hours > 0) || reachedAt === null)
    return { reachedAt: null, words: `nothing was spent in the last ${PACE_HOURS} h` };
  return { reachedAt, words: `reached in ${formatSeconds(left)} at the pace of the last ${PACE_HOURS} h` };
}
